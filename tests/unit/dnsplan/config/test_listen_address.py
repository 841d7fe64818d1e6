"""Where a status page listens: on this machine only, each daemon on a port of its own."""

import pytest

from dnsplan.errors import ConfigError
from dnsplan.runtime.config.listen_address import Listen, PageOf, listen_for, page_address


def test_one_line_serves_all_daemons() -> None:
    """Four daemons of one machine and one config never want the same port."""
    found = [listen_for(whose, stated="127.0.0.1:8053", option=None) for whose in PageOf]
    assert [one.port for one in found if one is not None] == [8053, 8054, 8055, 8056]


def test_port_0_is_any_free_one_for_each() -> None:
    """Nobody counts from it."""
    found = {listen_for(whose, stated="127.0.0.1:0", option=None) for whose in PageOf}
    assert found == {Listen("127.0.0.1", 0, "status.listen")}


def test_nothing_listens_unless_asked() -> None:
    """Neither config nor option: nowhere."""
    assert listen_for(PageOf.PLANNER, stated=None, option=None) is None


def test_the_option_overrules_the_config() -> None:
    """And is taken as it is."""
    found = listen_for(PageOf.CLEANUP, stated="127.0.0.1:8053", option="[::1]:9000")
    assert found == Listen("::1", 9000, "--http")
    assert found is not None
    assert found.text == "[::1]:9000"


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0:80",
        "[::]:80",
        "192.0.2.1:80",
        "example.com:80",
        "127.0.0.1",
        "127.0.0.1:",
        ":80",
        "127.0.0.1:x",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:٣",
        "",
        "localhost:",
    ],
)
def test_others_never_reach_it(text: str) -> None:
    """What is no loopback address with a port is refused, and the option is named."""
    with pytest.raises(ConfigError, match=r"^--http: .*allowed: a loopback address and a port"):
        page_address(PageOf.ENACTOR, stated=None, option=text)


def test_every_daemons_port_has_room() -> None:
    """A stated port leaves room for those counted from it."""
    with pytest.raises(ConfigError, match=r"^status\.listen: the port 65533"):
        page_address(PageOf.ENACTOR, stated="127.0.0.1:65533", option=None)
    assert page_address(PageOf.CLEANUP, stated="localhost:65532", option=None) == Listen(
        "127.0.0.1", 65535, "status.listen"
    )
