"""Mirrors on this machine that behave as told: they stall, truncate, corrupt or refuse."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bottomup.data.download import RemoteFile

QUICK = (10.0, 1.0)  # seconds: the server is on this machine, which may be busy


def remote(name: str, content: bytes) -> RemoteFile:
    return RemoteFile(name, hashlib.sha256(content).hexdigest(), len(content))


@dataclass
class Mirrors:
    """The files, how each mirror behaves, and what was asked: (mirror, name, Range or "")."""

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    behaviour: dict[str, "Behaviour"] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def add(self, name: str, behave: "Behaviour") -> str:
        """Set up a mirror and return its template of addresses."""
        self.behaviour[name] = behave
        return f"{self.address}/{name}/{{name}}"


@contextmanager
def running() -> Iterator[Mirrors]:
    mirrors = Mirrors("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            mirror, name = self.path.strip("/").split("/")
            requested = self.headers.get("Range", "")
            mirrors.asked.append((mirror, name, requested))
            mirrors.behaviour[mirror](self, mirrors, mirrors.files[name])

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # so that closing the server waits for every answer
    mirrors.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield mirrors
    finally:
        mirrors.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def offset(handler: BaseHTTPRequestHandler) -> int:
    return int(handler.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))


def send(handler: BaseHTTPRequestHandler, content: bytes, *, upto: int | None = None) -> None:
    """Answer with `content` from where it is asked for, but break off at byte `upto`."""
    first = offset(handler)
    handler.send_response(206 if first else 200)
    if first:
        handler.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
    handler.send_header("Content-Length", str(len(content) - first))
    handler.end_headers()
    handler.wfile.write(content[first:upto])
    handler.wfile.flush()


Behaviour = Callable[[BaseHTTPRequestHandler, Mirrors, bytes], None]


def good(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    send(handler, content)


def half(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    """Break off at the middle, and send nothing more when asked for the rest."""
    send(handler, content, upto=max(offset(handler), len(content) // 2))


def stall(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    """Send half, then keep the connection open without a byte."""
    half(handler, mirrors, content)
    mirrors.released.wait(30)


def silent(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    mirrors.released.wait(30)


def refuse(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    handler.send_error(503)


def corrupt(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    send(handler, content[:-1] + bytes([content[-1] ^ 1]))


def truncated(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    """Send too little and say that this is all."""
    send(handler, content[:-5])


def too_long(handler: BaseHTTPRequestHandler, mirrors: Mirrors, content: bytes) -> None:
    send(handler, b"<html>" + content)
