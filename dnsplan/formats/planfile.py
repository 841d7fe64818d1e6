"""A plan as a plain JSON file that a person can read and edit, and its strict reader.

One record set is one line's entry with the key names of `dns.yaml`. Names and values may be written
as people write them; what is read is in normal form and passed every check that a plan's content
must pass. All mistakes are found at once, with file, path, what was found and what is allowed.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from dnsplan.errors import ConfigError, InvalidName, InvalidRecord, Problem
from dnsplan.formats.entries import ENTRY_KEYS, EntryMistake, entry_of, record_set_from, show
from dnsplan.names import Name, display, parse_name
from dnsplan.normal import normal_form
from dnsplan.plan import Generation, Plan, sorted_content
from dnsplan.records import RecordSet, key_of
from dnsplan.validation import halves, name_problems, record_problems

FORMAT = "dnsplan plan file 1"
HEADER_KEYS = ("format", "label", "zone", "owner", "generation", "digest", "author", "reason")
VOUCH_KEYS = ("key", "signature")
KEYS = (*HEADER_KEYS, *VOUCH_KEYS, "records")


# Half of a pair of surrogates, which JSON can spell and no encoding can.
_HALF = re.compile(r"[\ud800-\udfff]")


class PlanFile(Struct, frozen=True, kw_only=True):
    """What a plan file says. `generation` and `digest` tell where it came from, before any edit.

    `content` is in normal form, sorted by key, without doubles. `key` and `signature` are who
    vouches for all of it (see `signing`); a file without them is unsigned.
    """

    label: str
    zone: Name
    owner: str
    generation: Generation
    digest: str
    author: str
    reason: str
    content: tuple[RecordSet, ...]
    key: str = ""
    signature: str = ""


def plan_file(plan: Plan, digest: str) -> PlanFile:
    """What a plan's file says."""
    return PlanFile(
        label=plan.label,
        zone=plan.zone,
        owner=plan.owner,
        generation=plan.generation,
        digest=digest,
        author=plan.author,
        reason=plan.reason,
        content=plan.content,
    )


def write_plan_file(stated: PlanFile) -> str:
    """The file's text: a header line a key, then a record set a line."""
    header: dict[str, Any] = {"format": FORMAT}  # JSON values of several kinds
    header |= {key: getattr(stated, key) for key in HEADER_KEYS[1:]}
    header |= {key: getattr(stated, key) for key in VOUCH_KEYS if stated.key}
    lines = [f'  "{key}": {_json(value)},' for key, value in header.items()]
    records = ",\n".join(f"    {_json(entry_of(one))}" for one in stated.content)
    body = f"[\n{records}\n  ]" if records else "[]"
    return "\n".join(["{", *lines, f'  "records": {body}', "}", ""])


def read_plan_file(text: str, file: str) -> PlanFile:
    """Read a file's text, or raise ConfigError with every mistake in it."""
    return _Reader(file).read(text)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._problems: list[Problem] = []

    def read(self, text: str) -> PlanFile:
        tree = self._tree(text)
        header = self._header(tree)
        zone = self._zone(header.get("zone", ""))
        content = self._content(tree.get("records"), zone)
        if self._problems:
            raise ConfigError(tuple(self._problems))
        return PlanFile(
            label=header["label"],
            zone=zone,
            owner=header["owner"],
            generation=Generation(header["generation"]),
            digest=header["digest"],
            author=header["author"],
            reason=header["reason"],
            content=content,
            key=header["key"],
            signature=header["signature"],
        )

    def _tree(self, text: str) -> dict[str, Any]:  # JSON before any check
        try:
            tree = json.loads(text, object_pairs_hook=self._object)
        except (json.JSONDecodeError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            problem = Problem(self._file, line, "", f"no JSON: {error}", "a plan file")
            raise ConfigError((problem,)) from error
        if not isinstance(tree, dict):
            problem = Problem(self._file, None, "", show(tree), f"an object with {', '.join(KEYS)}")
            raise ConfigError((problem,))
        return tree

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # JSON before any check
        for key, times in Counter(key for key, _ in pairs).items():
            if times > 1:
                self._note("", f"the key {key} {times} times in one object", "each key once")
        for key, value in pairs:
            texts = value if isinstance(value, list) else [value]
            if any(isinstance(one, str) and _HALF.search(one) for one in texts):
                self._note("", f"half a character in the key {key}", "whole ones")
        return dict(pairs)

    def _header(self, tree: Mapping[str, Any]) -> dict[str, Any]:  # JSON before any check
        for key in (key for key in tree if key not in KEYS):
            self._note(key, f"an unknown key {key}", f"one of {', '.join(KEYS)}")
        for key in HEADER_KEYS:
            self._needed(key, tree)
        for key in VOUCH_KEYS:
            if not isinstance(tree.get(key, ""), str):
                self._note(key, show(tree[key]), "text")
        return {key: tree.get(key) for key in HEADER_KEYS} | {
            key: tree.get(key, "") for key in VOUCH_KEYS
        }

    def _needed(self, key: str, tree: Mapping[str, Any]) -> None:
        found = tree.get(key)
        allowed = "a whole number from 0" if key == "generation" else "text"
        is_right = _is_number(found) if key == "generation" else isinstance(found, str)
        if key not in tree:
            self._note(key, "nothing", f"this key is needed: {allowed}")
        elif not is_right:
            self._note(key, show(found), allowed)
        elif key == "format" and found != FORMAT:
            self._note(key, show(found), f'"{FORMAT}"; another release wrote another format')

    def _zone(self, stated: object) -> Name:
        try:
            return parse_name(stated) if isinstance(stated, str) else Name("")
        except InvalidName as error:
            if stated:
                self._note("zone", str(error), "a DNS name")
            return Name("")

    def _content(self, stated: object, zone: Name) -> tuple[RecordSet, ...]:
        if not isinstance(stated, list):
            self._note("records", show(stated), f"a list of objects with {', '.join(ENTRY_KEYS)}")
            return ()
        if not stated:
            self._note("records", "an empty list", "at least one; a zone is never emptied")
        read = list(self._entries(stated))
        first: dict[tuple[str, str, str], int] = {}
        for index, one in read:
            before = first.setdefault(key_of(one), index)
            if before != index:
                found = f"{display(one.name)} {one.type} again (first in records[{before}])"
                self._note(f"records[{index}]", found, "each record set once")
            for problem in record_problems(one, zone) if zone else ():
                self._say(f"records[{index}]", problem)
        self._together(read)
        if self._problems:
            return ()
        return sorted_content(tuple(one for _, one in read))

    def _entries(self, stated: list[object]) -> Iterator[tuple[int, RecordSet]]:
        for index, entry in enumerate(stated):
            try:
                yield index, normal_form(record_set_from(entry))
            except EntryMistake as mistake:
                for path, found, allowed in mistake.found:
                    self._note(f"records[{index}]{path}", found, allowed)
            except (InvalidName, InvalidRecord) as error:
                self._note(f"records[{index}]", str(error), "a record set")

    def _together(self, read: list[tuple[int, RecordSet]]) -> None:
        names: dict[Name, dict[tuple[str, str, str], tuple[int, RecordSet]]] = {}
        for index, one in read:
            names.setdefault(one.name, {}).setdefault(key_of(one), (index, one))
        for members in names.values():
            index = min(place for place, _ in members.values())
            for problem in name_problems([one for _, one in members.values()]):
                self._say(f"records[{index}]", problem)

    def _say(self, path: str, problem: str) -> None:
        found, allowed = halves(problem)
        self._note(path, found, allowed or "a record set that Route 53 takes")

    def _note(self, path: str, found: str, allowed: str) -> None:
        self._problems.append(Problem(self._file, None, path, found, allowed))


def _is_number(stated: object) -> bool:
    return isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0


def _json(value: object) -> str:
    """Compact, but with a blank after colons and commas, for eyes."""
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
