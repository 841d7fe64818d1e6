"""Secrets: read from the text, the environment or a file, and never shown by anything."""

import os
from pathlib import Path

import pytest

from dnsplan.errors import ConfigError
from dnsplan.runtime.config import LoadedConfig
from dnsplan.runtime.config.secret import SECRET_BYTES_MAX, SecretText
from tests.unit.dnsplan.config.texts import SOUND, loaded

HIDDEN = "https://hooks.example/T0K3N"


def hook(folder: Path, url: str, environ: dict[str, str] | None = None) -> LoadedConfig:
    """A config with one webhook."""
    return loaded(folder, f"{SOUND}sentinel: {{alarms: [{{webhook: {{url: {url}}}}}]}}\n", environ)


def revealed(config: LoadedConfig) -> str:
    """The secret of the one webhook."""
    webhook = config.settings.sentinel.alarms[0].webhook
    assert webhook is not None
    return webhook.url.reveal()


def test_three_forms(tmp_path: Path) -> None:
    """As text, from the environment, from a file beside the config, less its last line end."""
    (tmp_path / "hook").write_text(f"{HIDDEN}\n")
    assert revealed(hook(tmp_path, f'"{HIDDEN}"')) == HIDDEN
    assert revealed(hook(tmp_path, "{env: HOOK}", {"HOOK": HIDDEN})) == HIDDEN
    assert revealed(hook(tmp_path, "{file: hook}")) == HIDDEN
    assert revealed(hook(tmp_path, f"{{file: {tmp_path}/hook}}")) == HIDDEN


def test_nothing_shows_it(tmp_path: Path) -> None:
    """Neither the settings' repr and text, nor the secret's, nor its dump as a model."""
    settings = hook(tmp_path, f'"{HIDDEN}"').settings
    for shown in (repr(settings), str(settings), repr(settings.model_dump()), f"{settings}"):
        assert "T0K3N" not in shown
    assert repr(SecretText("x", "the config")) == "<secret from the config>"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("{env: HOOK}", "no value in the environment variable HOOK"),
        ("{file: gone}", "No such file or directory"),
        ("{file: pipe}", "Not a regular file"),
        ("{file: binary}", "not UTF-8 text"),
        ("{file: empty}", "of 0 bytes"),
        ("{file: large}", "bytes"),
        ("{file: hook, env: HOOK}", "something else"),
        ("{}", "something else"),
        ("[T0K3N]", "something else"),
        ("1234", "something else"),
        ("01234", "a value that YAML 1.1 reads as a number in base 8"),
        ('{env: HOOK, T0K3N: "T0K3N"}', "something else"),
    ],
)
def test_mistakes_name_the_source_only(tmp_path: Path, url: str, said: str) -> None:
    """Whatever is wrong with a secret, its text is in no message."""
    (tmp_path / "hook").write_text("T0K3N")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"T0K3N\xff")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "large").write_text("T0K3N" * SECRET_BYTES_MAX)
    with pytest.raises(ConfigError) as caught:
        hook(tmp_path, url, {})
    (problem,) = caught.value.problems
    assert said in problem.found
    assert problem.key == "sentinel.alarms[0].webhook.url"
    assert "T0K3N" not in str(caught.value)
    assert "1234" not in str(caught.value)


def test_a_secret_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    """A secret written where a mapping belongs is said to be text, not shown."""
    text = f'{SOUND}sentinel: {{alarms: [{{webhook: "{HIDDEN}"}}]}}\n'
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, text)
    assert "a text; allowed: a mapping" in str(caught.value)
    assert "T0K3N" not in str(caught.value)


def test_equality() -> None:
    """Secrets are equal by text, wherever they come from."""
    one, same, other = SecretText("x", "a"), SecretText("x", "b"), SecretText("y", "a")
    assert (one == same, one == other, hash(one) == hash(same)) == (True, False, True)
