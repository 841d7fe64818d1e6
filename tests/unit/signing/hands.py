"""A zone whose config lists keys, the hands that have one, and a stranger who writes the table."""

from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from dnsplan.codec import contents, digest_of, encode, seal
from dnsplan.generation import GenerationItem
from dnsplan.plan import Plan, PlanId, next_generation
from dnsplan.records import RecordSet
from dnsplan.runtime.vouched_archive import VouchedArchive
from dnsplan.vouch import Keyring, ListedKey, Role, Signer, public_of
from enactor.ports import Outside
from planner.cycle import PlanCycle, TableView
from planner.publishing import row_of
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import PlanOutcome
from runbooks.controls.outside import Operator
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import SeededJitter
from tests.fakes.world import World

PLANNER = Signer("planner-1", Role.PLANNER, b"p" * 32)
PLANNER_2 = Signer("planner-2", Role.PLANNER, b"q" * 32)
ANN_KEY = Signer("change-1", Role.OPERATOR, b"o" * 32)
STRANGER = Signer("planner-1", Role.PLANNER, b"s" * 32)
ANN = Operator("ann", "drill", ANN_KEY)
NOTHING_SEEN = Sight({}, 0.0, 0.0)


def listed(*signers: Signer, takes_unsigned: bool = False) -> Keyring:
    """A config with the public keys of these."""
    keys: Mapping[str, ListedKey] = {
        one.key_id: ListedKey(one.role, public_of(one.secret)) for one in signers
    }
    return Keyring(keys, takes_unsigned=takes_unsigned)


KEYRING = listed(PLANNER, ANN_KEY)


class SignedWorld(World):
    """Everybody's config lists keys; who publishes signs with `signer`, None signs nothing."""

    def __init__(self, *, keyring: Keyring = KEYRING, signer: Signer | None = PLANNER) -> None:
        """One empty zone."""
        super().__init__()
        self.bodies = self.archive
        self.turn_on(keyring, signer)

    def turn_on(self, keyring: Keyring, signer: Signer | None) -> None:
        """The config of everybody from now on."""
        self.keyring, self.signer = keyring, signer
        vouched = VouchedArchive(self.bodies, keyring, signer)
        self.archive = vouched  # type: ignore[assignment]  # the port is the same

    def outside(self, seed: int) -> Outside:
        """What an enactor reaches."""
        return replace(super().outside(seed), keyring=self.keyring)

    async def plan(self, wish: ZoneWish, *, seed: int = 300) -> PlanOutcome:
        """One pass of a planner."""
        cycle = PlanCycle(
            table=self.table,
            archive=self.archive,
            clock=self.clock,
            jitter=SeededJitter(seed),
            author="planner",
            plans_per_min_max=100,
        )
        cycle.keyring = self.keyring
        items = await self.table.read([self.label])
        view = TableView(await self.table.incarnation(), items, zones_behind=0)
        return (await cycle.run_once(wish, view, NOTHING_SEEN, may_write=True)).outcome

    def names_in_zone(self) -> tuple[RecordSet, ...]:
        """What the zone answers, but for the fence."""
        return self.route53.content(self.zone)

    # What whoever writes the table can do without a key.

    def put(self, **fields: object) -> None:
        """Change the generation item at will."""
        self.table.items[self.label] = structs.replace(self.table.items[self.label], **fields)

    async def forge(self, plan: Plan, signer: Signer | None = None) -> PlanId:
        """Publish any plan with body, row and head in agreement, signed by a key of one's own."""
        envelope = seal(plan)
        store = VouchedArchive(self.bodies, Keyring(), signer)
        await store.store(envelope, row_of(plan, envelope))
        self.put(head=plan.generation, head_digest=envelope.plan_id.digest)
        return envelope.plan_id

    async def next_plan(self, *content: RecordSet) -> Plan:
        """The plan that would follow head, with other content."""
        item = await self.item()
        newest = await self._newest(item)
        number = next_generation(item.head)
        return structs.replace(newest, generation=number, base=item.head, content=content)

    async def _newest(self, item: GenerationItem) -> Plan:
        return contents(await self.bodies.load(item.head_id))


def changed_body(archive: FakeArchive, plan_id: PlanId, plan: Plan) -> PlanId:
    """Another body with the signature that stood beside the first, under the digest it has."""
    body = encode(plan)
    forged = PlanId(plan_id.label, plan.generation, digest_of(body))
    archive.bodies[forged] = structs.replace(archive.bodies[plan_id], plan_id=forged, body=body)
    return forged
