"""What the parts of `signing:` say about each other."""

from collections.abc import Iterator

from dnsplan.runtime.config.explain import Finding, nearest
from dnsplan.runtime.config.signing_shape import SigningSection
from dnsplan.vouch import Role


def signing_findings(section: SigningSection | None) -> Iterator[Finding]:
    """A key to sign with that is not listed, of another kind or without its secret; one key twice;
    checks without a key."""
    if section is None:
        return
    if not section.keys and section.unsigned == "hold":
        allowed = "a key, or unsigned: accept where plans are not signed on purpose"
        yield Finding(("signing", "keys"), "nothing", allowed)
    named = {Role.PLANNER: section.sign_with.planner, Role.OPERATOR: section.sign_with.operator}
    for role, key_id in named.items():
        if key_id is not None:
            yield from _named(section, role, key_id)
    first: dict[bytes, str] = {}
    for key_id, key in section.keys.items():
        other = first.setdefault(key.public, key_id)
        if other != key_id:
            yield Finding(("signing", "keys", key_id, "public"), f"the key of {other}", "a new key")


def _named(section: SigningSection, role: Role, key_id: str) -> Iterator[Finding]:
    path = ("signing", "sign_with", str(role))
    ids = tuple(sorted(one for one, key in section.keys.items() if key.of is role))
    key = section.keys.get(key_id)
    if key is None:
        found = f"{key_id}, a key that is not listed"
        yield Finding(path, found, f"a key of: {role}: {nearest(key_id, ids)}")
    elif key.of is not role:
        yield Finding(path, f"{key_id}, a key of: {key.of}", f"a key of: {role}")
    elif key.secret is None:
        yield Finding(path, f"{key_id}, without secret:", "a key whose secret: says where it is")
