"""Faults: which names are answered wrongly."""

from sandbox.dns.faults import Fault, Faults


def test_a_server_without_faults_has_none() -> None:
    """Nothing is wrong until it is asked for."""
    assert Faults().of("www.example.com.") is None


def test_a_fault_holds_for_its_name_alone() -> None:
    """Neither names below nor names above are touched; spelling does not matter."""
    faults = Faults()
    faults.silence("WWW.example.com")
    assert faults.of("www.example.com.") is Fault.SILENCE
    assert faults.of("a.www.example.com.") is None
    assert faults.of("example.com.") is None


def test_a_fault_can_hold_for_all_names_below() -> None:
    """The nearest fault above a name decides, its own first."""
    faults = Faults()
    faults.refuse("example.com", below=True)
    faults.empty("sub.example.com", below=True)
    faults.servfail("www.example.com")
    assert faults.of("example.com.") is Fault.REFUSE
    assert faults.of("a.b.example.com.") is Fault.REFUSE
    assert faults.of("x.sub.example.com.") is Fault.EMPTY
    assert faults.of("www.example.com.") is Fault.SERVFAIL
    assert faults.of("a.www.example.com.") is Fault.REFUSE
    assert faults.of("example.net.") is None


def test_a_later_fault_replaces_an_earlier_one() -> None:
    """Also what it held for names below."""
    faults = Faults()
    faults.refuse("example.com", below=True)
    faults.empty("example.com")
    assert faults.of("example.com.") is Fault.EMPTY
    assert faults.of("www.example.com.") is None


def test_faults_end_one_by_one_or_all_at_once() -> None:
    """A cleared name is answered truly again."""
    faults = Faults()
    faults.empty("a.example.com", below=True)
    faults.silence("b.example.com")
    faults.clear("A.example.com")
    faults.clear("never-set.example.com")
    assert faults.of("x.a.example.com.") is None
    assert faults.of("b.example.com.") is Fault.SILENCE
    faults.clear()
    assert faults.of("b.example.com.") is None
