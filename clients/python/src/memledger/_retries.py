# Owns whether and when a call is sent again. Must never repeat what would change something twice.

from __future__ import annotations

from collections.abc import Callable

from ._errors import (
    ApiError,
    ConnectionFailedError,
    MemledgerError,
    RateLimitError,
    UnavailableError,
)

FIRST_DELAY_MAX_SECONDS = 0.5
"""Upper bound of the random delay before the first retry. It doubles with each retry."""
DELAY_MAX_SECONDS = 8.0
RETRY_AFTER_MAX_SECONDS = 60.0
"""A longer Retry-After is left to the caller."""


def retry_delay_seconds(
    error: MemledgerError, *, is_idempotent: bool, retries: int, random: Callable[[], float]
) -> float | None:
    """The delay before the call is sent again; None: it is not. `retries`: how often it was sent again already."""
    if not (_is_refused_undone(error) or (is_idempotent and _is_transient(error))):
        return None
    retry_after_seconds = (error.retry_after_seconds or 0.0) if isinstance(error, ApiError) else 0.0
    if retry_after_seconds > RETRY_AFTER_MAX_SECONDS:
        return None
    return retry_after_seconds + random() * min(FIRST_DELAY_MAX_SECONDS * 2.0**retries, DELAY_MAX_SECONDS)


def _is_refused_undone(error: MemledgerError) -> bool:
    """Nothing was done, and the server invites another attempt. 2103: the language model did not answer."""
    if isinstance(error, RateLimitError):
        return True
    if isinstance(error, UnavailableError):
        return not error.is_outcome_unknown
    return isinstance(error, ApiError) and error.code == 2103 and error.retry_after_seconds is not None


def _is_transient(error: MemledgerError) -> bool:
    """The call may have been performed. A timeout is not among them: a second attempt would double the wait."""
    if isinstance(error, ConnectionFailedError):
        return True
    return isinstance(error, ApiError) and error.status in (502, 503, 504)
