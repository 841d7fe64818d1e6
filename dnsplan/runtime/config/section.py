"""What every part of the config is: frozen, and strict about its keys and types."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A number in quotes is text, not a number; an unknown key is an error; nan is no number."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, hide_input_in_errors=True
    )
