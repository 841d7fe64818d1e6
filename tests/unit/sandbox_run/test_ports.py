"""Which ports a run takes, and that no other takes the same."""

import socket

from sandbox.run.ports import Claims, free_port


def test_a_taken_port_is_passed_over_on_any_of_the_addresses() -> None:
    """One busy address is enough to move all of them."""
    with socket.socket() as busy:
        busy.bind(("127.0.0.77", 0))
        busy.listen()
        taken = busy.getsockname()[1]
        found = free_port(taken, ("127.0.0.76", "127.0.0.77"))
    assert taken != found
    assert taken == free_port(taken, ("127.0.0.77",))


def test_two_runs_never_choose_the_same_port() -> None:
    """Though neither has opened it yet; when a run has ended its port is free again."""
    with Claims() as one, Claims() as two:
        first = one.port(0)
        assert two.port(first) != first
        assert free_port(first) != first
    assert free_port(first) == first


def test_a_port_that_is_refused_is_not_claimed() -> None:
    """What turned out to be in use stays nobody's when it is free again."""
    with Claims() as one, Claims() as two:
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            taken = busy.getsockname()[1]
            assert one.port(taken) != taken
        assert two.port(taken) == taken
