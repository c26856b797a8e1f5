# A server on 127.0.0.1 that answers each request with the next of the given responses, so that tests decide what a client meets.

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Scripted:
    """kind: "close": the connection is closed without a response; "cut": in the middle of one; "hang": nothing is sent."""

    status: int = 200
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "answer"


HANG, CLOSE, CUT = Scripted(kind="hang"), Scripted(kind="close"), Scripted(kind="cut")


def succeeds(data: Any, status: int = 200) -> Scripted:
    return Scripted(status, json.dumps({"success": True, "code": 1000, "message": "success", "data": data}))


def refuses(status: int, code: int, data: Any = None, retry_after: str | None = None) -> Scripted:
    envelope = {"success": False, "code": code, "message": f"refused with {code}", "data": data or {}}
    return Scripted(status, json.dumps(envelope), {} if retry_after is None else {"Retry-After": retry_after})


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """The last response is repeated."""

    def __init__(self, *script: Scripted) -> None:
        self.received: list[Received] = []
        self.arrived = threading.Semaphore(0)
        closing = threading.Event()
        received, arrived = self.received, self.arrived

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_call(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                step = script[min(len(received), len(script) - 1)]
                received.append(Received(self.command, self.path, dict(self.headers.items()), body))
                arrived.release()
                if step.kind == "hang":
                    closing.wait()
                elif step.kind == "answer":
                    self.send_response(step.status)
                    for name, value in {"Content-Type": "application/json", **step.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(step.text.encode())))
                    self.end_headers()
                    self.wfile.write(step.text.encode())
                    return
                elif step.kind == "cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "1000")
                    self.end_headers()
                    self.wfile.write(b'{"success":true,')
                self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = handle_call

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._closing = closing
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
