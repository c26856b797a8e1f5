# Owns the errors of the client: one class for each kind of failure that a caller handles differently. A message always says what to do.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class MemledgerError(Exception):
    """Every error of this client."""


class ConnectionFailedError(MemledgerError):
    """No connection, or it broke before the response was complete. The call may have been performed."""


class RequestTimeoutError(MemledgerError):
    """No response within the timeout. The call may have been performed."""


class ApiError(MemledgerError):
    """The server refused the call, or it failed. The message is that of the server and says what to do."""

    def __init__(
        self,
        *,
        status: int,
        code: int | None,
        message: str,
        data: Mapping[str, Any],
        retry_after_seconds: float | None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status."""
        self.code = code
        """Error code of the API; None if the response is not one of memledger, such as that of a proxy."""
        self.message = message
        self.data = data
        """Details, such as the field and the reason; {} if there are none."""
        self.retry_after_seconds = retry_after_seconds
        """From the header Retry-After; None without it."""


class BadRequestError(ApiError):
    """400, 405, 413, 415: the request is invalid, or a limit is reached."""


class AuthenticationError(ApiError):
    """401: the key is missing, unknown, expired or revoked."""


class PaymentRequiredError(ApiError):
    """402: the project has no credits left."""


class PermissionDeniedError(ApiError):
    """403: the key lacks the permission, or the plan does not include the feature."""


class NotFoundError(ApiError):
    """404: the project has no such memory, record or export."""


class ConflictError(ApiError):
    """409: the call conflicts with what is stored, such as a memory with the same content."""


class RateLimitError(ApiError):
    """429: too many calls."""


class ServerError(ApiError):
    """500, 502, 504: the call failed."""


class UnavailableError(ApiError):
    """503: temporarily unavailable. Nothing was done, unless is_outcome_unknown."""

    @property
    def is_outcome_unknown(self) -> bool:
        """Whether the call may have been performed."""
        return self.code is None or self.data.get("outcome") == "unknown"


_BY_STATUS = {
    400: BadRequestError,
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: BadRequestError,
    409: ConflictError,
    413: BadRequestError,
    415: BadRequestError,
    429: RateLimitError,
    500: ServerError,
    502: ServerError,
    503: UnavailableError,
    504: ServerError,
}


def error_class(status: int) -> type[ApiError]:
    """The class of the errors with this status."""
    return _BY_STATUS.get(status, ApiError)
