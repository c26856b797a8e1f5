# Owns what the generated models have in common, and the value of parameters that are not given.

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final, Literal, TypeVar


class Unset(enum.Enum):
    """The type of UNSET."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final[Literal[Unset.UNSET]] = Unset.UNSET
"""A parameter that is not given, and therefore not sent. None is sent as null."""

AnyModel = TypeVar("AnyModel", bound="Model")


@dataclass(frozen=True, kw_only=True)
class Model:
    """An object of an answer, with a field for each member that this version knows."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The object as it was received, with members that this version does not know."""

    _models: ClassVar[Mapping[str, type[Model]]] = {}

    @classmethod
    def from_json(cls: type[AnyModel], raw: Mapping[str, Any]) -> AnyModel:
        """The model of a parsed JSON object. A member that is absent is None."""
        names = [each.name for each in fields(cls) if each.name != "raw"]
        return cls(raw=raw, **{name: _decode(raw.get(name), cls._models.get(name)) for name in names})


def _decode(value: Any, model: type[Model] | None) -> Any:
    if model is None:
        return value
    if isinstance(value, list):
        return [_decode(item, model) for item in value]
    return model.from_json(value) if isinstance(value, dict) else value
