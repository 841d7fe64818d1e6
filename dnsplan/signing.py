"""What is signed: one thing, named so fully that its signature can stand under nothing else. Pure.

Each message begins with what it is, and names zone, owner and number where it has them, so that a
signed plan of one zone or number cannot be shown as another's, nor a waiver of one generation as a
later one's. A plan's signature covers its id, hence the digest of its bytes, and beside that a
digest of what its plan file says: so the file can be checked where there is no table.
"""

import hashlib
from collections.abc import Iterator
from shlex import quote

import msgspec
from msgspec import Struct, structs

from dnsplan.codec import Envelope, contents
from dnsplan.drains import Drain
from dnsplan.drains import standing as standing_drains
from dnsplan.errors import visible
from dnsplan.formats.planfile import PlanFile, plan_file
from dnsplan.generation import GenerationItem
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.vouch import (
    ANYBODY,
    NOBODY,
    OPERATORS,
    Keyring,
    Signer,
    Vouch,
    vouch_from,
)
from dnsplan.waivers import Offer
from dnsplan.waivers import standing as standing_offers

STATED_BYTES = hashlib.sha256().digest_size
_FORM = "dnsplan signature 1"


def signed(envelope: Envelope, signer: Signer) -> Envelope:
    """The plan with this signer's word."""
    said = stated(plan_file(contents(envelope), envelope.plan_id.digest))
    vouch = signer.sign(plan_message(envelope.plan_id, said))
    return Envelope(envelope.plan_id, envelope.body, vouch.key_id, said + vouch.signature)


def judged(envelope: Envelope, keyring: Keyring) -> Envelope:
    """The plan with the doubt that stands against it, if one does; its bytes are not read."""
    said, signature = envelope.signature[:STATED_BYTES], envelope.signature[STATED_BYTES:]
    vouch = Vouch(envelope.key_id, signature) if envelope.key_id or envelope.signature else NOBODY
    doubt = keyring.doubt(vouch, plan_message(envelope.plan_id, said), ANYBODY)
    return structs.replace(envelope, doubt=doubt)


def kept_file(envelope: Envelope) -> PlanFile:
    """A plan's file with the signature that it can be checked by."""
    stated_file = plan_file(contents(envelope), envelope.plan_id.digest)
    signature = envelope.signature[STATED_BYTES:]
    return structs.replace(stated_file, key=envelope.key_id, signature=signature.hex())


def file_doubt(file: PlanFile, keyring: Keyring) -> str | None:
    """Why nobody vouches for what a plan file says, or None. One that was edited is nobody's."""
    if not file.key and not file.signature:
        return keyring.doubt(NOBODY, b"", ANYBODY)
    try:
        vouch = Vouch(file.key, bytes.fromhex(file.signature))
    except ValueError:
        vouch = Vouch(file.key, b"")
    plan_id = PlanId(file.label, file.generation, Digest(file.digest))
    return keyring.doubt(vouch, plan_message(plan_id, stated(file)), ANYBODY)


def stated(file: PlanFile) -> bytes:
    """A digest of all that a plan file says, however it is laid out."""
    said = (
        file.label,
        file.zone,
        file.owner,
        file.generation,
        file.digest,
        file.author,
        file.reason,
        file.content,
    )
    return hashlib.sha256(msgspec.json.encode(said)).digest()


def plan_message(plan_id: PlanId, said: bytes) -> bytes:
    """What is signed of a plan."""
    return _message("plan", plan_id.label, plan_id.generation, plan_id.digest, said.hex())


def report_message(az: str, report: bytes) -> bytes:
    """What is signed of what an AZ's planner finds."""
    return _message("report", az, hashlib.sha256(report).hexdigest())


def signed_offer(item: GenerationItem, offer: Offer, signer: Signer) -> Offer:
    """A waiver that waits, with this signer's word."""
    return structs.replace(offer, vouch=signer.sign(_offer_message(item, offer)))


def signed_drain(item: GenerationItem, drain: Drain, signer: Signer) -> Drain:
    """A drain with this signer's word."""
    return structs.replace(drain, vouch=signer.sign(_drain_message(item, drain)))


def signed_pin(item: GenerationItem, plan_id: PlanId, signer: Signer) -> Vouch:
    """This signer's word that a zone is pinned to a plan."""
    return signer.sign(_pin_message(item, plan_id.generation, plan_id.digest))


class Doubtful(Struct, frozen=True):
    """An operator's word that no operator vouches for, and the command that ends it."""

    text: str
    way: str


def doubtful_words(item: GenerationItem, keyring: Keyring, *, now_s: int) -> tuple[Doubtful, ...]:
    """The waivers and drains that would count now and that no operator vouches for."""
    return tuple(_doubtful(item, keyring, now_s)) if keyring.checks else ()


def pin_doubt(item: GenerationItem, keyring: Keyring) -> str | None:
    """Why no operator vouches for the pin that stands, or None."""
    if item.pin is None or not keyring.checks:
        return None
    message = _pin_message(item, item.pin, item.pin_digest or Digest(""))
    return keyring.doubt(vouch_from(item.pin_vouch), message, OPERATORS)


def _doubtful(item: GenerationItem, keyring: Keyring, now_s: int) -> Iterator[Doubtful]:
    for offer in standing_offers(item, now_s=now_s):
        doubt = keyring.doubt(offer.vouch, _offer_message(item, offer), OPERATORS)
        if doubt is not None:
            rule = visible(offer.waiver.rule)
            way = f"dns-runbook waive {item.label} {quote(rule)} --because unsigned --end"
            yield Doubtful(f"the waiver of {rule} {doubt}", way)
    for drain in standing_drains(item, now_s=now_s):
        doubt = keyring.doubt(drain.vouch, _drain_message(item, drain), OPERATORS)
        if doubt is not None:
            what = visible(drain.what)
            yield Doubtful(
                f"the drain of {what} {doubt}", f"dns-runbook undrain {quote(what)} {item.label}"
            )


def _offer_message(item: GenerationItem, offer: Offer) -> bytes:
    one = offer.waiver
    said = (one.rule, one.by, one.because, one.generation, offer.until_s)
    return _message("waiver", item.label, item.owner, *said)


def _drain_message(item: GenerationItem, drain: Drain) -> bytes:
    said = (drain.what, drain.until_s, drain.by, drain.because)
    return _message("drain", item.label, item.owner, *said)


def _pin_message(item: GenerationItem, generation: Generation, digest: Digest) -> bytes:
    return _message("pin", item.label, item.owner, generation, digest)


def _message(kind: str, *facts: str | int) -> bytes:
    """Lengths and quotes of JSON keep the parts apart: no two things have one message."""
    return msgspec.json.encode((_FORM, kind, *facts))
