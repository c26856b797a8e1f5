# Owns how a response becomes data or an error. Must never trust that memledger has answered: a proxy may have.

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ._errors import ApiError, error_class


def read_data(response: httpx.Response) -> Mapping[str, Any]:
    """The `data` of a successful response. Raises ApiError for every other one."""
    envelope = _parse(response.content)
    if response.is_success and envelope.get("success") is True and isinstance(envelope.get("data"), dict):
        data: Mapping[str, Any] = envelope["data"]
        return data
    raise refusal_of(response)


def read_nothing(response: httpx.Response) -> None:
    """Raises ApiError unless the response is a success without a body."""
    if response.status_code != 204:
        raise refusal_of(response)


def refusal_of(response: httpx.Response) -> ApiError:
    """The error that a response means. Its body must have been read."""
    status = response.status_code
    envelope = _parse(response.content)
    code, data = envelope.get("code"), envelope.get("data")
    retry_after_seconds = _read_retry_after(response.headers.get("Retry-After"))
    if envelope.get("success") is False and isinstance(code, int):
        return error_class(status)(
            status=status,
            code=code,
            message=str(envelope.get("message")),
            data=data if isinstance(data, dict) else {},
            retry_after_seconds=retry_after_seconds,
        )
    if 300 <= status < 400:
        message = f"A redirect (status {status}) was not followed. Set base_url to the final address."
    else:
        message = (
            f"The response with status {status} is not one of memledger. "
            "Check base_url, and any proxy between this program and the server."
        )
    return error_class(status)(
        status=status, code=None, message=message, data={}, retry_after_seconds=retry_after_seconds
    )


def _parse(content: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read_retry_after(header: str | None) -> float | None:
    """A number of seconds, or a date (RFC 9110, section 10.2.3). None for anything else."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]+", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
