# Owns the two clients: one whose calls block, and one whose calls are awaited. Each has a property for each part of the API.

from __future__ import annotations

import random as chance
import time
from collections.abc import Awaitable, Callable
from types import TracebackType

import anyio
import httpx

from ._async_calls import AsyncCalls
from ._exports import AsyncAuditLedger, AuditLedger
from ._generated.async_resources import (
    AsyncChecks,
    AsyncConversations,
    AsyncKeys,
    AsyncMemories,
    AsyncPlans,
    AsyncProjects,
    AsyncSubjects,
    AsyncSuggestions,
)
from ._generated.resources import Checks, Conversations, Keys, Memories, Plans, Projects, Subjects, Suggestions
from ._settings import read_settings
from ._sync_calls import Calls


class Memledger:
    """A client of a memledger server. Threads can share it. It keeps connections open until it is closed.

    api_key: An API key, `ml_...`; for projects, keys, plans and the chain of the installation an administration key, `mla_...`. Default: the environment variable MEMLEDGER_API_KEY.
    base_url: Address of the server. Default: http://127.0.0.1:8420
    timeout: Seconds to wait for the connection, and for each part of a response. Default: 60, and 600 for operations
    that may run that long, such as an extraction with a language model.
    max_retries: How often a call is sent again, if that changes nothing twice. Default: 3
    subject: Whose memories all calls of this client are for, such as "user:42". Default: those that each call names.
    on_behalf_of: The person for whom all calls of this client are made: their records name it as your claim. Default:
    nobody. Clients with one http_client share its connections.
    http_client: Sends the requests, for example through a proxy. It is not closed. Default: one of this client.
    sleep, random: Wait between attempts, and spread the retries of many clients. Tests replace them.

    Raises MemledgerError without a key, and for an option that is not valid.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        subject: str | None = None,
        on_behalf_of: str | None = None,
        http_client: httpx.Client | None = None,
        sleep: Callable[[float], object] = time.sleep,
        random: Callable[[], float] = chance.random,
    ) -> None:
        settings = read_settings(api_key, base_url, timeout, max_retries, random, subject, on_behalf_of)
        self._own = httpx.Client() if http_client is None else None
        calls = Calls(settings, http_client or self._own or httpx.Client(), sleep)
        self.memories = Memories(calls)
        self.checks = Checks(calls)
        self.suggestions = Suggestions(calls)
        self.conversations = Conversations(calls)
        self.audit = AuditLedger(calls)
        self.projects = Projects(calls)
        self.keys = Keys(calls)
        self.plans = Plans(calls)
        self.subjects = Subjects(calls)

    def close(self) -> None:
        """Closes the connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Memledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMemledger:
    """As Memledger, but its calls are awaited. Works with asyncio and trio."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        subject: str | None = None,
        on_behalf_of: str | None = None,
        http_client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
        random: Callable[[], float] = chance.random,
    ) -> None:
        settings = read_settings(api_key, base_url, timeout, max_retries, random, subject, on_behalf_of)
        self._own = httpx.AsyncClient() if http_client is None else None
        calls = AsyncCalls(settings, http_client or self._own or httpx.AsyncClient(), sleep)
        self.memories = AsyncMemories(calls)
        self.checks = AsyncChecks(calls)
        self.suggestions = AsyncSuggestions(calls)
        self.conversations = AsyncConversations(calls)
        self.audit = AsyncAuditLedger(calls)
        self.projects = AsyncProjects(calls)
        self.keys = AsyncKeys(calls)
        self.plans = AsyncPlans(calls)
        self.subjects = AsyncSubjects(calls)

    async def close(self) -> None:
        """Closes the connections."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> AsyncMemledger:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
