"""Client of memledger, an AI memory with a tamper-evident audit ledger."""

from . import models
from ._client import AsyncMemledger, Memledger
from ._download import AsyncDownload, Download
from ._errors import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionFailedError,
    MemledgerError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    UnavailableError,
)
from ._generated.operations import VERSION as __version__
from ._model import UNSET

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncDownload",
    "AsyncMemledger",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionFailedError",
    "Download",
    "Memledger",
    "MemledgerError",
    "NotFoundError",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "RateLimitError",
    "RequestTimeoutError",
    "ServerError",
    "UnavailableError",
    "__version__",
    "models",
]
