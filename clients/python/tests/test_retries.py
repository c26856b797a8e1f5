# Proves when the client sends a call again, what it waits for, and what it reports: against a server whose answers the test decides.
# No test waits: the delays are those that the client asked for.

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import time
import unittest
from email.utils import formatdate
from pathlib import Path
from typing import Any

import memledger
from both import Call, run
from scripted_server import (
    CLOSE,
    CUT,
    HANG,
    Received,
    Scripted,
    ScriptedServer,
    refuses,
    succeeds,
)

MARKER = {"action": "gateway.chat", "http_status": 200}
UNKNOWN_OUTCOME = refuses(503, 1503, {"outcome": "unknown"}, "1")


def html(status: int) -> Scripted:
    return Scripted(status, "<h1>Bad gateway</h1>", {"Content-Type": "text/html"})


def idempotent(client: Any) -> Any:
    return client.memories.create(content="Releases go out on Tuesdays.", memory_type="fact")


def not_idempotent(client: Any) -> Any:
    return client.audit.append(**MARKER)


class Retries(unittest.TestCase):
    def send(
        self, is_async: bool, call: Call, *script: Scripted, **options: Any
    ) -> tuple[Any, list[float], list[Received]]:
        """The result or the error of the call, the delays that the client asked for, and what the server received."""
        delays: list[float] = []
        with ScriptedServer(*script) as server:
            given = {"sleep": delays.append, "random": lambda: 0.5, **options}
            try:
                result = run(is_async, call, api_key="ml_test", base_url=server.url, **given)
            except memledger.MemledgerError as error:
                result = error
            return result, delays, server.received

    def each(self) -> Any:
        for is_async in (False, True):
            with self.subTest(is_async=is_async):
                yield is_async

    def test_retry_after_is_heeded(self) -> None:
        for is_async in self.each():
            script = [refuses(429, 1429, None, "2"), refuses(429, 1429, None, "7"), succeeds({})]
            result, delays, received = self.send(is_async, not_idempotent, *script)
            self.assertNotIsInstance(result, Exception)
            self.assertEqual(delays, [2.25, 7.5])
            self.assertEqual(len(received), 3)
            self.assertEqual(len({each.body for each in received}), 1)

    def test_retry_after_may_be_a_date(self) -> None:
        for is_async in self.each():
            dates = [formatdate(0, usegmt=True), formatdate(time.time() + 30, usegmt=True), "soon"]
            script = [*(refuses(429, 1429, None, date) for date in dates), succeeds({})]
            _, delays, _ = self.send(is_async, not_idempotent, *script)
            self.assertEqual(delays[0], 0.25)
            self.assertTrue(1 < delays[1] <= 30.5)
            self.assertEqual(delays[2], 1)

    def test_the_delay_doubles_up_to_a_limit(self) -> None:
        for is_async in self.each():
            for random, expected in ((0.0, [0.0] * 7), (1.0, [0.5, 1, 2, 4, 8, 8, 8])):
                options = {"random": lambda: random, "max_retries": 7}
                error, delays, received = self.send(is_async, not_idempotent, refuses(429, 1429), **options)
                self.assertIsInstance(error, memledger.RateLimitError)
                self.assertEqual(delays, expected)
                self.assertEqual(len(received), 8)

    def test_a_long_retry_after_is_left_to_the_caller(self) -> None:
        for is_async in self.each():
            error, _, received = self.send(is_async, idempotent, refuses(429, 1429, None, "61"))
            self.assertEqual(error.retry_after_seconds, 61)
            self.assertEqual(len(received), 1)

    def test_what_is_sent_again(self) -> None:
        cases = [
            (refuses(429, 1429, None, "1"), True, True),
            (refuses(503, 1503, None, "1"), True, True),
            (UNKNOWN_OUTCOME, True, False),
            (html(503), True, False),
            (html(502), True, False),
            (html(504), True, False),
            (CLOSE, True, False),
            (CUT, True, False),
            (refuses(500, 2103, {"status": 429}, "1"), True, True),
            (refuses(500, 2103, {"status": 401}), False, False),
            (refuses(500, 1500), False, False),
            (refuses(400, 1400), False, False),
            (refuses(409, 2104), False, False),
            (Scripted(200, '{"ok":true}'), False, False),
            (Scripted(200, "[" * 100_000), False, False),
            (Scripted(307, "", {"Location": "/elsewhere"}), False, False),
        ]
        for is_async in self.each():
            for first, repeats_idempotent, repeats_other in cases:
                for call, repeats in ((idempotent, repeats_idempotent), (not_idempotent, repeats_other)):
                    with self.subTest(first=first, call=call.__name__):
                        result, _, received = self.send(is_async, call, first, succeeds({"id": "1"}))
                        self.assertEqual(len(received), 2 if repeats else 1)
                        if repeats:
                            self.assertEqual(result.id, "1")
                        else:
                            self.assertIsInstance(result, memledger.MemledgerError)

    def test_each_failure_has_its_class_and_says_what_to_do(self) -> None:
        cases: list[tuple[Scripted, type[Exception], str]] = [
            (refuses(429, 1429, None, "1"), memledger.RateLimitError, "^refused with 1429$"),
            (UNKNOWN_OUTCOME, memledger.UnavailableError, "^refused with 1503$"),
            (refuses(500, 1500), memledger.ServerError, "^refused with 1500$"),
            (html(502), memledger.ServerError, "status 502 is not one of memledger.*base_url"),
            (Scripted(418), memledger.ApiError, "status 418 is not one of memledger"),
            (Scripted(301, "", {"Location": "https://example.com/"}), memledger.ApiError, "base_url to the final"),
            (CLOSE, memledger.ConnectionFailedError, "^The connection to http:.* failed: .* Check that the server runs"),
        ]
        for is_async in self.each():
            for scripted, kind, message in cases:
                with self.subTest(scripted=scripted):
                    error, _, _ = self.send(is_async, not_idempotent, scripted, max_retries=0)
                    self.assertIs(type(error), kind)
                    self.assertRegex(str(error), message)
                    self.assertNotIn("ml_test", repr(error))

    def test_an_unknown_outcome_can_be_told(self) -> None:
        for is_async in self.each():
            for scripted, is_unknown in ((UNKNOWN_OUTCOME, True), (refuses(503, 1503), False), (html(503), True)):
                error, _, _ = self.send(is_async, not_idempotent, scripted, max_retries=0)
                self.assertIs(error.is_outcome_unknown, is_unknown)

    def test_a_server_that_hangs_ends_in_a_timeout_that_is_not_repeated(self) -> None:
        for is_async in self.each():
            error, delays, _ = self.send(is_async, idempotent, HANG, timeout=0.05)
            self.assertIsInstance(error, memledger.RequestTimeoutError)
            self.assertIn("within 0.05 seconds", str(error))
            self.assertEqual(delays, [])

    def test_a_call_can_have_options_of_its_own(self) -> None:
        for is_async in self.each():
            error, _, _ = self.send(is_async, lambda client: client.memories.list(timeout=0.02), HANG)
            self.assertIn("within 0.02 seconds", str(error))
            script = refuses(429, 1429)
            _, _, received = self.send(is_async, lambda client: client.memories.list(max_retries=1), script)
            self.assertEqual(len(received), 2)

    def test_a_server_that_is_not_there(self) -> None:
        with socket.socket() as reserved:
            # Without listen, connections are refused, and no other program gets the port.
            reserved.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
            for is_async in self.each():
                delays: list[float] = []
                with self.assertRaises(memledger.ConnectionFailedError) as raised:
                    run(is_async, idempotent, api_key="ml_test", base_url=url, sleep=delays.append)
                self.assertIsNotNone(raised.exception.__cause__)
                self.assertEqual(len(delays), 3)

    def test_the_failure_of_an_export_ends_the_wait(self) -> None:
        states = [{"status": "pending"}, {"status": "processing"}, {"status": "failed", "error": "disk full"}]
        for is_async in self.each():
            script = [succeeds({"export_id": "e1", **state}) for state in states]
            error, delays, _ = self.send(is_async, lambda client: client.audit.wait_for_export("e1"), *script)
            self.assertEqual(str(error), "The export e1 failed: disk full. Create a new one.")
            self.assertEqual(delays, [0.2, 0.4])

    def test_a_refused_download_is_an_error(self) -> None:
        for is_async in self.each():
            error, _, _ = self.send(is_async, lambda client: client.audit.export_download("e1"), refuses(409, 2206))
            self.assertIsInstance(error, memledger.ConflictError)

    def test_a_broken_download_leaves_the_former_file(self) -> None:
        for is_async in self.each():
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "audit.csv"
                path.write_text("former")

                def save(client: Any) -> Any:
                    with client.audit.export_download("e1") as file:
                        file.save(path)

                async def save_awaited(client: Any) -> Any:
                    async with await client.audit.export_download("e1") as file:
                        await file.save(path)

                error, _, _ = self.send(is_async, save_awaited if is_async else save, CUT)
                self.assertIsInstance(error, memledger.ConnectionFailedError)
                self.assertEqual(path.read_text(), "former")
                self.assertEqual(os.listdir(folder), ["audit.csv"])


class Cancellation(unittest.IsolatedAsyncioTestCase):
    async def test_a_task_is_cancelled_while_the_server_works_and_while_it_waits(self) -> None:
        for scripted in (HANG, refuses(429, 1429, None, "60")):
            with ScriptedServer(scripted) as server:
                async with memledger.AsyncMemledger(api_key="ml_test", base_url=server.url) as client:
                    task = asyncio.create_task(client.memories.list())
                    await asyncio.to_thread(server.arrived.acquire)
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                self.assertEqual(len(server.received), 1)


if __name__ == "__main__":
    unittest.main()
