"""What is managed after adoption: the names and types of dns.yaml, and nothing that it spares."""

from dnsplan.fence import fence_name
from dnsplan.names import parse_name
from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet
from runbooks.adopting.survey import Match, findings, survey
from tests.fakes.world import a, cname
from tests.unit.planner.cases import NOW_S, ZONE, multivalue, plan, pool, wish

APEX = tuple(
    RecordSet(ZONE, kind, 900, (value,))
    for kind, value in (("NS", "ns-1.awsdns-01.org."), ("SOA", "ns. me. 1 2 3 4 5"))
)
FENCE = RecordSet(fence_name(ZONE), "TXT", 60, ('"old"',))
WWW, API, OLD = (a(f"{name}.example.com", "192.0.2.1") for name in ("www", "api", "old"))
MX = RecordSet(parse_name("www.example.com"), "MX", 300, ("10 mail.example.com.",))


def test_only_what_stands_at_stated_names_and_types_is_managed() -> None:
    """The fence and the apex's NS and SOA are nobody's; another type of a name is not managed."""
    found = survey((*APEX, FENCE, WWW, MX, OLD), wish(records=[WWW, API]), None)
    assert found.content == (WWW,)
    assert found.elsewhere == ((OLD.name, "A"), (MX.name, "MX"))
    assert (found.lost, found.listed) == ((), 6)


def test_what_cannot_stand_beside_a_cname_is_taken_in() -> None:
    """Either way: it gives way in the batch that makes what dns.yaml states."""
    stated = cname("www.example.com", "api.example.com.")
    assert survey((WWW, MX), wish(records=[stated]), None).content == (WWW, MX)
    assert survey((stated,), wish(records=[WWW]), None).content == (stated,)


def test_what_was_managed_before_stays_managed() -> None:
    """A name that dns.yaml lost is not let go by a lost fence, and a retired one still ends."""
    retired = Retirement(API.name, "A", generation=6, by="ann")
    newest = plan(WWW, OLD, generation=7, retired=(retired,))
    found = survey((WWW, OLD, API, MX), wish(records=[WWW]), newest)
    assert found.content == (API, OLD, WWW)
    gone = survey((WWW,), wish(records=[WWW]), newest)
    assert gone.lost == ((OLD.name, "A"),)


def test_listed_forms_become_normal_forms() -> None:
    """A plan holds normal forms only, so that equal content is no change."""
    listed = RecordSet(WWW.name, "AAAA", 60, ("2001:DB8:0::1", "2001:db8::1"))
    content = survey((listed,), wish(records=[RecordSet(WWW.name, "AAAA", 60, ("::1",))]), None)
    assert content.content == (RecordSet(WWW.name, "AAAA", 60, ("2001:db8::1",)),)


def test_findings_are_the_planners_own_word() -> None:
    """Equal, different, missing, unlisted, ending: told by the rules that plan next."""
    driven = pool("a", "b")
    stated = a("diff.example.com", "192.0.2.9")
    standing = (
        a("diff.example.com", "192.0.2.8"),
        OLD,
        cname("swap.example.com", "x.example.net."),
        *multivalue("a", "b"),
    )
    config = wish(driven, records=[stated, API, a("swap.example.com", "192.0.2.3")])
    found = findings(plan(*standing, generation=1), config, now_s=NOW_S)
    assert {(one.unit[0].split(".")[0], one.unit[1]): one.match for one in found} == {
        ("api", "A"): Match.MISSING,
        ("diff", "A"): Match.DIFFERENT,
        ("old", "A"): Match.UNLISTED,
        ("swap", "A"): Match.MISSING,
        ("swap", "CNAME"): Match.ENDING,
        ("www", "A"): Match.EQUAL,
    }


def test_a_pool_that_was_not_probed_yet_is_shown_as_missing() -> None:
    """Its first answers are planned after the first probe round."""
    found = findings(plan(OLD, generation=int(Generation(1))), wish(pool("a")), now_s=NOW_S)
    assert [(one.match, one.planned) for one in found if one.unit[0] != OLD.name] == [
        (Match.MISSING, ())
    ]
