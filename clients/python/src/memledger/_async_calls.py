# Owns the life of one call that is awaited: attempts, and the delay between them.

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx

from ._calls import CallOptions, PreparedCall, connection_error, prepare_call
from ._download import AsyncDownload
from ._errors import MemledgerError
from ._model import Model
from ._request import Input, Operation
from ._response import read_data, read_nothing, refusal_of
from ._retries import retry_delay_seconds
from ._settings import Settings

Result = TypeVar("Result")
AnyModel = TypeVar("AnyModel", bound=Model)


class AsyncCalls:
    """How the methods of a client send what they are called with."""

    def __init__(
        self, settings: Settings, http: httpx.AsyncClient, sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self._settings = settings
        self._http = http
        self._sleep = sleep

    async def sleep(self, seconds: float) -> None:
        await self._sleep(seconds)

    async def data(
        self, operation: Operation, given: Input, options: CallOptions, model: type[AnyModel]
    ) -> AnyModel:
        call = prepare_call(self._settings, operation, given, options)

        async def attempt() -> AnyModel:
            return model.from_json(read_data(await self._start(call, stream=False)))

        return await self._send(call, attempt)

    async def nothing(self, operation: Operation, given: Input, options: CallOptions) -> None:
        call = prepare_call(self._settings, operation, given, options)

        async def attempt() -> None:
            read_nothing(await self._start(call, stream=False))

        await self._send(call, attempt)

    async def file(self, operation: Operation, given: Input, options: CallOptions) -> AsyncDownload:
        call = prepare_call(self._settings, operation, given, options)
        return await self._send(call, lambda: self._open(call))

    async def _send(self, call: PreparedCall, attempt: Callable[[], Awaitable[Result]]) -> Result:
        retries = 0
        while True:
            try:
                return await attempt()
            except MemledgerError as error:
                delay = retry_delay_seconds(
                    error,
                    is_idempotent=call.is_idempotent,
                    retries=retries,
                    random=self._settings.random,
                )
                if delay is None or retries >= call.max_retries:
                    raise
            await self._sleep(delay)
            retries += 1

    async def _open(self, call: PreparedCall) -> AsyncDownload:
        response = await self._start(call, stream=True)
        if response.status_code == 200:
            return AsyncDownload(response, call.base_url)
        try:
            await response.aread()
        except httpx.HTTPError as error:
            raise connection_error(error, call.base_url, call.timeout) from error
        finally:
            await response.aclose()
        raise refusal_of(response)

    async def _start(self, call: PreparedCall, *, stream: bool) -> httpx.Response:
        request = self._http.build_request(**call.request)
        try:
            return await self._http.send(request, stream=stream, follow_redirects=False)
        except httpx.HTTPError as error:
            raise connection_error(error, call.base_url, call.timeout) from error
