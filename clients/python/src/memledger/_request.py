# Owns how an operation and its input become a request. Must never send a parameter that was not given.

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from ._errors import MemledgerError
from ._model import UNSET


@dataclass(frozen=True)
class Operation:
    """What the API says of an operation."""

    operation_id: str
    method: str
    path: str
    """Parameters are in braces."""
    is_idempotent: bool
    """Whether repeating the same call changes nothing more."""
    may_run_long: bool


@dataclass(frozen=True)
class Input:
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


def target_of(operation: Operation, given: Input) -> str:
    """Path and query. Raises MemledgerError for an identifier that would change the path."""

    def fill(match: re.Match[str]) -> str:
        value: object = given.path.get(match[1])
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise MemledgerError(f"{operation.operation_id} needs an identifier as {match[1]}.")
        return quote(value, safe="", errors="replace")

    path = re.sub(r"\{(\w+)\}", fill, operation.path)
    pairs = [(name, _to_text(item)) for name, value in given.query.items() for item in _items(name, value)]
    return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def _items(name: str, value: Any) -> Iterable[Any]:
    if value is UNSET:
        return []
    items = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    if any(item is None for item in items):
        raise MemledgerError(f"{name} is None, which a query cannot contain. Omit it.")
    return items


def _to_text(value: Any) -> str:
    return to_json(value).decode() if isinstance(value, (bool, Mapping)) else str(value)


def body_of(given: Input) -> bytes | None:
    """JSON text in UTF-8; None: no body. A lone surrogate is sent as an escape, so that the server can refuse it."""
    if given.body is None:
        return None
    return to_json({name: value for name, value in given.body.items() if value is not UNSET})


def to_json(value: Any) -> bytes:
    """Raises MemledgerError for what JSON does not have."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_to_plain
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise MemledgerError(f"A parameter cannot be sent as JSON: {error}.") from error
    return text.encode("utf-8", errors="backslashreplace")


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")


def audit_metadata_header(metadata: Mapping[str, Any] | None) -> dict[str, str]:
    """A JSON object as the value of a header, which can hold ASCII only."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise MemledgerError("audit_metadata is no mapping.")
    text = to_json(metadata).decode("utf-8")
    return {"X-Audit-Metadata": json.dumps(json.loads(text), separators=(",", ":")).replace("\x7f", "\\u007f")}
