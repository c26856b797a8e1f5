# Owns the options of a client: their defaults, the environment variable of the key, and the check of each. Must never show a key.

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ._errors import MemledgerError
from ._generated.operations import VERSION

BASE_URL_DEFAULT = "http://127.0.0.1:8420"
MAX_RETRIES_DEFAULT = 3
KEY_VARIABLE = "MEMLEDGER_API_KEY"


@dataclass(frozen=True)
class Settings:
    base_url: str
    """Without a slash at its end."""
    headers: Mapping[str, str | bytes] = field(repr=False)
    timeout: float | None
    """Seconds; None: the default of the operation."""
    max_retries: int
    random: Callable[[], float] = field(repr=False)


def read_settings(
    api_key: str | None,
    base_url: str | None,
    timeout: float | None,
    max_retries: int | None,
    random: Callable[[], float],
    subject: str | None = None,
    on_behalf_of: str | None = None,
) -> Settings:
    """Raises MemledgerError for an option that is not valid, and without a key."""
    headers: dict[str, str | bytes] = {
        "Authorization": f"Bearer {_read_key(api_key)}",
        "User-Agent": f"memledger-python/{VERSION}",
    }
    if subject is not None:
        headers["Memledger-Subject"] = _read_name("subject", subject)
    if on_behalf_of is not None:
        headers["Memledger-On-Behalf-Of"] = _read_name("on_behalf_of", on_behalf_of)
    return Settings(
        base_url=_read_base_url(BASE_URL_DEFAULT if base_url is None else base_url),
        headers=headers,
        timeout=read_timeout(timeout),
        max_retries=read_max_retries(max_retries, MAX_RETRIES_DEFAULT),
        random=random,
    )


def _read_name(option: str, name: str) -> bytes:
    """As a header has it. Raises MemledgerError for what nobody is called."""
    if not isinstance(name, str) or re.fullmatch(r"[^\x00-\x1f\x7f]+", name) is None:
        raise MemledgerError(f"{option} is {name!r}. Give a name without control characters.")
    return name.encode("utf-8")


def read_timeout(timeout: float | None) -> float | None:
    """Raises MemledgerError unless it is a number of seconds above 0."""
    if timeout is None or (isinstance(timeout, (int, float)) and math.isfinite(timeout) and timeout > 0):
        return timeout
    raise MemledgerError(f"timeout is {timeout!r}. Give a number of seconds above 0.")


def read_max_retries(max_retries: int | None, default: int) -> int:
    """Raises MemledgerError unless it is a small whole number."""
    if max_retries is None:
        return default
    if isinstance(max_retries, int) and 0 <= max_retries <= 100:
        return max_retries
    raise MemledgerError(f"max_retries is {max_retries!r}. Give a whole number from 0 to 100.")


def _read_base_url(text: str) -> str:
    problem = (
        f"base_url is no address of a server. Give one such as {BASE_URL_DEFAULT}, without a query."
    )
    try:
        url = urlsplit(text)
        is_address = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        raise MemledgerError(problem) from None
    if not is_address or url.query or url.fragment or re.search(r"[\x00-\x20\x7f]", text):
        raise MemledgerError(problem)
    if url.username is not None or url.password is not None:
        raise MemledgerError("base_url contains a user name or a password. Give the key as api_key.")
    return text.rstrip("/")


def _read_key(given: str | None) -> str:
    key = (os.environ.get(KEY_VARIABLE, "") if given is None else given).strip()
    if key == "":
        raise MemledgerError(f"No API key. Give api_key, or set {KEY_VARIABLE}.")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise MemledgerError(
            f"The API key contains a character that no key has. Check api_key, or {KEY_VARIABLE}."
        )
    return key
