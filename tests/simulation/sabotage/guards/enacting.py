"""Guards of an enactor's cycle: what it reads before it acts, and what it takes for the zone."""

from tests.simulation.sabotage.sabotage import Edit, Explored, Sabotage, Seeds

ADOPTION, ENACTING = "enactor.rules.adoption", "enactor.enacting"
CYCLE, VIEW = "enactor.cycle", "enactor.rules.view"

SABOTAGES = (
    Sabotage(
        name="ignore the owner",
        breaks=("P6", "P10"),
        search=Seeds("foreign fences"),
        edits=(Edit(ADOPTION, "if seen.owner != item.owner:", "if False:"),),
    ),
    Sabotage(
        name="go on after a refusal where no fence stands",
        breaks=("P9",),
        search=Seeds("overslept freezes"),
        edits=(
            Edit(
                "enactor.sending",
                "if admitted is not None and progress.refused and progress.fence is None:",
                "if False:",
            ),
        ),
    ),
    Sabotage(
        name="refresh the fence after the claim",
        breaks=("P1", "P3"),
        search=Explored("pair"),
        edits=(
            Edit(
                "enactor.sending",
                "        packed = pack(changes, progress.task.zone.name, progress.desired.of)\n",
                "        packed = pack(changes, progress.task.zone.name, progress.desired.of)\n"
                "        now = await self._records.read_fence(progress.task.zone)\n"
                "        progress.fence = now if isinstance(now, SeenFence) else progress.fence\n",
            ),
            Edit(
                "enactor.rules.packing",
                'check(before.record.token <= after.token, "the fence never goes back")',
                "pass",
            ),
        ),
        covered_by="a batch that takes the fence back cannot be built",
    ),
    Sabotage(
        name="write applied on sight",
        breaks=("P5",),
        search=Explored("failover"),
        edits=(
            Edit(
                CYCLE,
                "                progress = await enacting.begin(task, target, seen, None)\n"
                "                sent = await enacting.renew(progress, item, seen)\n",
                "                note = record_applied(item, seen.record.generation,\n"
                "                    fence=seen.listed.values[0], good=seen.record.held == 0,\n"
                "                    nonce=self._jitter.token(NONCE_BITS))\n"
                "                await self._table.write(note)\n"
                "                return await in_sync(self._exceptions, item.label, seen.record)\n",
            ),
        ),
    ),
    Sabotage(
        name="call a plan with held names good",
        breaks=("P5",),
        search=Explored("good"),
        edits=(Edit(CYCLE, "good=seen.held == 0", "good=True"),),
    ),
    Sabotage(
        name="trust the plan's content while names are held",
        breaks=("P3",),
        search=Explored("held"),
        edits=(
            Edit(VIEW, "return fence.is_complete and fence.held == 0", "return fence.is_complete"),
        ),
    ),
    Sabotage(
        name="resume by step after a foreign edit",
        breaks=("P3",),
        search=Seeds(),
        edits=(
            Edit(
                ADOPTION,
                'return Relist(fence, "the plan is half done")',
                "return Advance(fence)",
            ),
            Edit("enactor.viewing", "if says_all(seen):", "if seen.held == 0:"),
        ),
        covered_by="the view of a fence that is not complete is listed",
    ),
    Sabotage(
        name="take a missing note of held names for none held",
        breaks=("P3", "P10"),
        search=Seeds("dead links, notes lost"),
        edits=(
            Edit(
                "enactor.notes",
                "if row is None or len(row.names) != fence.held:\n        return None",
                "if row is None or len(row.names) != fence.held:\n        return {}",
            ),
        ),
    ),
    Sabotage(
        name="forget older plans where a note is lost",
        breaks=("P10",),
        search=Seeds("dead links, notes lost"),
        edits=(
            Edit(
                "enactor.progress",
                "*takewhile(bool, (plan.of(name) for plan in self.earlier))",
                "",
            ),
        ),
    ),
    Sabotage(
        name="list what is not ours as ours",
        breaks=("P2", "P6", "P10"),
        search=Seeds(),
        edits=(
            Edit(
                VIEW,
                "if unit_of(one) in units or unit_of(one) in retired"
                " or (one.name, None) in retired",
                "if one.type not in ('NS', 'SOA') and not one.name.startswith('_dnsplan.')",
            ),
        ),
    ),
    Sabotage(
        name="judge velocity against live",
        breaks=("P10",),
        search=Seeds("outage", most=60),
        edits=(
            Edit(
                "dnsplan.guardrails",
                "    found = [*hands_off(plan), *never_empty(seen), *floors(seen, limits)]\n",
                "    found = [*hands_off(plan), *never_empty(seen), *floors(seen, limits),"
                " *velocities(seen, limits, standing_since_s=None)]\n",
            ),
        ),
    ),
    Sabotage(
        name="let a plan end a name without a word",
        breaks=("P2", "P10"),
        search=Seeds("careless planner"),
        edits=(
            Edit(
                "dnsplan.guardrails",
                "    return [*found, *_left_behind(ended, wanted, plan)]\n",
                "    return []\n",
            ),
        ),
    ),
    Sabotage(
        name="skip the second guardrail run",
        breaks=("P2",),
        search=Seeds("careless planner"),
        edits=(
            Edit(
                ENACTING,
                "if (held := refused(found)) is not None:",
                "if False:",
            ),
            Edit(
                "enactor.rules.packing",
                "not change.ends or all(may_end(key_of(one)) for one in change.before),",
                "True,",
            ),
        ),
        covered_by="a batch that takes a name's last answer cannot be built",
    ),
    Sabotage(
        name="skip the digest",
        breaks=("P3",),
        search=Seeds("altered bodies"),
        edits=(
            Edit("dnsplan.codec", "if digest_of(envelope.body) != wanted.digest:", "if False:"),
        ),
    ),
    Sabotage(
        name="accept a plan without checking its signature",
        breaks=("P8",),
        search=Seeds("signed"),
        edits=(Edit("dnsplan.codec", "if envelope.doubt is not None:", "if False:"),),
    ),
    Sabotage(
        name="let the fence vouch for what is written",
        breaks=("P8",),
        search=Seeds("signed, fence moved"),
        edits=(
            Edit(
                "enactor.enacting",
                "shelved = await self._shelf.take(target, standing=None)",
                "shelved = await self._shelf.take(target, standing=standing)",
            ),
        ),
    ),
    Sabotage(
        name="read a plan of a newer release as one of this",
        breaks=("P8",),
        search=Seeds("two releases"),
        edits=(Edit("dnsplan.codec", "if schema > SCHEMA:", "if False:"),),
    ),
    Sabotage(
        name="forget plans that were overtaken half done",
        breaks=("P10",),
        search=Seeds(),
        edits=(
            Edit(
                VIEW,
                "return range(min(applied + 1, fence.generation), upto)",
                "return range(0)",
            ),
        ),
    ),
    Sabotage(
        name="forget plans since the one that a rewound plan began from",
        breaks=("P10",),
        search=Seeds("retired and rewound", most=100),
        edits=(Edit(VIEW, "return range(fence.base, upto)", "return range(0)"),),
    ),
    Sabotage(
        name="take what an unread plan would explain for others'",
        breaks=("P10",),
        search=Seeds("unread bodies"),
        edits=(
            Edit(
                "enactor.progress",
                "if reason == FOREIGN and self.unread:",
                "if False:",
            ),
        ),
    ),
    Sabotage(
        name="lead a name that answers to nothing",
        breaks=("P2",),
        search=Seeds("dead links", most=10),
        edits=(
            Edit(
                "enactor.freeing",
                "    group = await _leading_somewhere(records, progress, group)\n",
                "",
            ),
        ),
    ),
    Sabotage(
        name="exit early without the fence check",
        breaks=("P10",),
        search=Seeds("rewound"),
        edits=(
            Edit(
                "enactor.daemon",
                "if now_s >= due_s and self._turns.checks(label, peers):",
                "if False:",
            ),
        ),
    ),
)
