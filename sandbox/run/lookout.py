"""What the sentinel of a sandbox has said, as one verdict for people. Pure but for what it holds.

It reads the sentinel's own log and nothing else: what a person would read in production.
"""

from dataclasses import dataclass, field

from sandbox.run.events import Event

SENTINEL = "sentinel"


@dataclass(slots=True)
class Lookout:
    """Open pages by id, and whether all names were seen to answer since the last one."""

    pages: dict[str, str] = field(default_factory=dict)
    all_answer: str = ""
    is_watching: bool = False

    def hear(self, event: Event) -> None:
        """Take in one event of the sentinel; others are nobody's here."""
        if event.who != SENTINEL:
            return
        facts = dict(event.facts)
        match event.what:
            case "watching":
                self.is_watching = True
                self.pages.clear()
                self.all_answer = ""
            case "all_names_answer":
                self.all_answer = facts.get("names", "")
            case "page" if facts.get("change") in ("recovery", "folded"):
                self.pages.pop(facts.get("id", ""), None)
            case "page":
                self.pages[facts.get("id", "")] = facts.get("title", "")
                self.all_answer = ""
            case _:
                pass

    @property
    def is_well(self) -> bool:
        """Whether every name is known to answer."""
        return bool(self.all_answer) and not self.pages

    def verdict(self) -> str:
        """One line."""
        if self.pages:
            rest = len(self.pages) - 1
            more = f" and {rest} more page{'s' if rest > 1 else ''}" if rest else ""
            return f"sentinel: PAGE: {next(iter(self.pages.values()))}{more}"
        if self.all_answer:
            if self.all_answer == "1":
                return "sentinel: the one name answers"
            return f"sentinel: all {self.all_answer} names answer"
        return "sentinel: watching" if self.is_watching else "sentinel: starting"
