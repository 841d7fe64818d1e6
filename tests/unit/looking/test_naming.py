"""Which zone was meant by what was typed at night."""

import pytest
import typer
from typer.testing import CliRunner

from runbooks.looking.naming import labels_mistake
from runbooks.options import LabelsArgument

NAMES = {"shop": "Example.com", "shop-in": "example.com.", "mail": "mail.example.net"}
THERE = "in the config; there are mail, shop, shop-in"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["shop", "mail"], None),
        (["shpo"], f"no zone shpo {THERE}; shpo: did you mean shop?"),
        (["Mail."], f"no zone Mail. {THERE}; Mail.: did you mean mail?"),
        (
            ["EXAMPLE.com."],
            f"no zone EXAMPLE.com. {THERE}; EXAMPLE.com.: did you mean shop or shop-in?",
        ),
        (["zzz", "shop"], f"no zone zzz {THERE}"),
    ],
)
def test_what_was_meant_is_said(typed: list[str], said: str | None) -> None:
    """By the zone's own name, in whatever case, or by a label that is written like it."""
    assert labels_mistake(typed, NAMES) == said


def test_of_many_labels_few_are_shown() -> None:
    """What was meant is among hundreds, and a message that scrolls it away helps nobody."""
    names = {f"z{at:03}": f"z{at:03}.example.com" for at in range(300)}
    said = labels_mistake(["z123.example.com"], names)
    assert said is not None
    assert said.endswith("z011 and 288 more; z123.example.com: did you mean z123?")


def test_a_label_that_is_typed_twice_is_one_zone() -> None:
    """Two hands of one command on one zone would be in each other's way."""
    app = typer.Typer()

    @app.command()
    def show(labels: LabelsArgument = None) -> None:
        typer.echo(repr(labels))

    said = [CliRunner().invoke(app, typed).stdout for typed in (["shop", "mail", "shop"], [])]
    assert said == ["['shop', 'mail']\n", "None\n"]
