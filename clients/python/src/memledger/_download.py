# Owns a file that is received: it is read in pieces, and never held in memory as a whole unless the caller asks for that.

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import BinaryIO

import httpx

from ._calls import connection_error


class _File:
    def __init__(self, response: httpx.Response, base_url: str) -> None:
        self._response = response
        self._base_url = base_url

    @property
    def name(self) -> str | None:
        """The name that the server suggests; None without one."""
        found = re.search(r'filename="([^"/\\]+)"', self._response.headers.get("Content-Disposition", ""))
        return found[1] if found else None

    @property
    def media_type(self) -> str | None:
        media_type: str | None = self._response.headers.get("Content-Type")
        return media_type


class Download(_File):
    """A file of the server. Use it in a `with` statement, which closes the connection."""

    def iter_bytes(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes()
        except httpx.HTTPError as error:
            raise connection_error(error, self._base_url, None) from error

    def read(self) -> bytes:
        """The whole file."""
        return b"".join(self.iter_bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file. An existing one stays until the new one is complete."""
        with _replacing(path) as file:
            for chunk in self.iter_bytes():
                file.write(chunk)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncDownload(_File):
    """A file of the server. Use it in an `async with` statement, which closes the connection."""

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise connection_error(error, self._base_url, None) from error

    async def read(self) -> bytes:
        """The whole file."""
        return b"".join([chunk async for chunk in self.iter_bytes()])

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file. An existing one stays until the new one is complete."""
        with _replacing(path) as file:
            async for chunk in self.iter_bytes():
                file.write(chunk)

    async def close(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


@contextmanager
def _replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file beside the path, which gets the name when everything was written, and is removed otherwise."""
    part = f"{os.fspath(path)}.part"
    try:
        with open(part, "wb") as file:
            yield file
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
