# Owns the life of one call that blocks: attempts, and the delay between them.

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import httpx

from ._calls import CallOptions, PreparedCall, connection_error, prepare_call
from ._download import Download
from ._errors import MemledgerError
from ._model import Model
from ._request import Input, Operation
from ._response import read_data, read_nothing, refusal_of
from ._retries import retry_delay_seconds
from ._settings import Settings

Result = TypeVar("Result")
AnyModel = TypeVar("AnyModel", bound=Model)


class Calls:
    """How the methods of a client send what they are called with."""

    def __init__(self, settings: Settings, http: httpx.Client, sleep: Callable[[float], object]) -> None:
        self._settings = settings
        self._http = http
        self._sleep = sleep

    def sleep(self, seconds: float) -> None:
        self._sleep(seconds)

    def data(
        self, operation: Operation, given: Input, options: CallOptions, model: type[AnyModel]
    ) -> AnyModel:
        call = prepare_call(self._settings, operation, given, options)
        return self._send(call, lambda: model.from_json(read_data(self._start(call, stream=False))))

    def nothing(self, operation: Operation, given: Input, options: CallOptions) -> None:
        call = prepare_call(self._settings, operation, given, options)
        self._send(call, lambda: read_nothing(self._start(call, stream=False)))

    def file(self, operation: Operation, given: Input, options: CallOptions) -> Download:
        call = prepare_call(self._settings, operation, given, options)
        return self._send(call, lambda: self._open(call))

    def _send(self, call: PreparedCall, attempt: Callable[[], Result]) -> Result:
        retries = 0
        while True:
            try:
                return attempt()
            except MemledgerError as error:
                delay = retry_delay_seconds(
                    error,
                    is_idempotent=call.is_idempotent,
                    retries=retries,
                    random=self._settings.random,
                )
                if delay is None or retries >= call.max_retries:
                    raise
            self._sleep(delay)
            retries += 1

    def _open(self, call: PreparedCall) -> Download:
        response = self._start(call, stream=True)
        if response.status_code == 200:
            return Download(response, call.base_url)
        try:
            response.read()
        except httpx.HTTPError as error:
            raise connection_error(error, call.base_url, call.timeout) from error
        finally:
            response.close()
        raise refusal_of(response)

    def _start(self, call: PreparedCall, *, stream: bool) -> httpx.Response:
        request = self._http.build_request(**call.request)
        try:
            return self._http.send(request, stream=stream, follow_redirects=False)
        except httpx.HTTPError as error:
            raise connection_error(error, call.base_url, call.timeout) from error
