# Runs a call with each of the two clients, so that every test holds for both.

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import anyio
import httpx
from memledger import AsyncMemledger, Memledger

Call = Callable[[Any], Any]


def run(is_async: bool, call: Call, **options: Any) -> Any:
    """Calls with a new client, awaits what can be awaited, and reads all of an iterator. `sleep` must be a function that blocks."""
    return anyio.run(_run_async, call, options) if is_async else _run_sync(call, options)


def _run_sync(call: Call, options: Any) -> Any:
    # Without certificates, whose loading takes longer than the call.
    with httpx.Client(verify=False) as http, Memledger(http_client=http, **options) as client:
        result = call(client)
        return list(result) if inspect.isgenerator(result) else result


async def _run_async(call: Call, options: Any) -> Any:
    sleep = options.pop("sleep", None)

    async def sleep_async(seconds: float) -> None:
        sleep(seconds)

    if sleep is not None:
        options["sleep"] = sleep_async
    http = httpx.AsyncClient(verify=False)
    async with http, AsyncMemledger(http_client=http, **options) as client:
        result = call(client)
        if inspect.isasyncgen(result):
            items: list[Any] = [item async for item in result]
            return items
        return await result
