# Owns what calls that block and calls that are awaited have in common: the request, its time limit, and the errors of the connection.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from ._errors import ConnectionFailedError, MemledgerError, RequestTimeoutError
from ._request import Input, Operation, audit_metadata_header, body_of, target_of
from ._settings import Settings, read_max_retries, read_timeout

TIMEOUT_DEFAULT_SECONDS = 60.0
LONG_TIMEOUT_DEFAULT_SECONDS = 600.0


@dataclass(frozen=True)
class CallOptions:
    """Options of one call."""

    audit_metadata: Mapping[str, Any] | None = None
    """Your own markers, such as {"ticket": "OPS-17"}: the audit record of the call keeps them."""
    timeout: float | None = None
    """Instead of that of the client."""
    max_retries: int | None = None
    """Instead of that of the client."""


@dataclass(frozen=True)
class PreparedCall:
    request: dict[str, Any]
    """Arguments of httpx.Client.build_request."""
    base_url: str
    timeout: float
    is_idempotent: bool
    max_retries: int


def prepare_call(
    settings: Settings, operation: Operation, given: Input, options: CallOptions
) -> PreparedCall:
    """Raises MemledgerError for an input that cannot be sent."""
    content = body_of(given)
    headers = {**settings.headers, **audit_metadata_header(options.audit_metadata)}
    if content is not None:
        headers["Content-Type"] = "application/json"
    timeout = read_timeout(options.timeout) or settings.timeout
    if timeout is None:
        timeout = LONG_TIMEOUT_DEFAULT_SECONDS if operation.may_run_long else TIMEOUT_DEFAULT_SECONDS
    return PreparedCall(
        request={
            "method": operation.method,
            "url": settings.base_url + target_of(operation, given),
            "headers": headers,
            "content": content,
            "timeout": timeout,
        },
        base_url=settings.base_url,
        timeout=timeout,
        is_idempotent=operation.is_idempotent,
        max_retries=read_max_retries(options.max_retries, settings.max_retries),
    )


def connection_error(error: httpx.HTTPError, base_url: str, timeout: float | None) -> MemledgerError:
    """What an error of httpx means to the caller of a call."""
    if isinstance(error, httpx.TimeoutException):
        within = "" if timeout is None else f" within {timeout:g} seconds"
        return RequestTimeoutError(
            f"No response from {base_url}{within}. The call may have been performed. "
            "Increase timeout, or check the server."
        )
    return ConnectionFailedError(
        f"The connection to {base_url} failed: {error or type(error).__name__}. "
        "Check that the server runs, and base_url."
    )
