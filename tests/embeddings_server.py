"""A real HTTP server on this machine that speaks the embeddings API, and misbehaves on request.

It also completes a chat about numbered groups of texts, by naming them.
"""

import base64
import hashlib
import json
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import numpy.typing as npt

DIMS = 8

Answer = tuple[int, dict[str, str], bytes]
Behaviour = Callable[[dict[str, Any]], Answer]


def vector_for(text: str, dims: int = DIMS) -> npt.NDArray[np.float32]:
    """The same text always gives the same unit vector, another text another one."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    vector = np.random.default_rng(seed).standard_normal(dims)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def reply(status: int, body: object, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"content-type": "application/json"} | names, content


def refuse(status: int, code: str, message: str = "no", **headers: str) -> Behaviour:
    """Answer with an error as OpenAI words it."""
    error = {"error": {"message": message, "type": code, "code": code, "param": None}}
    return lambda _: reply(status, error, **headers)


def correct(
    request: dict[str, Any], *, encoding: str | None = None, change: Callable[[Any], Any] = list
) -> Answer:
    """Answer rightly, in the encoding asked for unless one is given; `change` spoils the items."""
    dims = request.get("dimensions", DIMS)
    encoding = encoding or request.get("encoding_format", "float")
    data = [
        {"object": "embedding", "index": place, "embedding": vector_for(text, dims).tolist()}
        for place, text in enumerate(request["input"])
    ]
    data = change(data)
    if encoding == "base64":
        for item in data:
            raw = np.asarray(item["embedding"], dtype="<f4").tobytes()
            item["embedding"] = base64.b64encode(raw).decode()
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return reply(200, {"object": "list", "model": request["model"], "data": data, "usage": usage})


def floats(request: dict[str, Any]) -> Answer:
    return correct(request, encoding="float")


def shuffled(request: dict[str, Any]) -> Answer:
    return correct(request, change=lambda data: random.Random(7).sample(data, len(data)))


def one_too_few(request: dict[str, Any]) -> Answer:
    return correct(request, change=lambda data: data[:-1])


def wrong_size(request: dict[str, Any]) -> Answer:
    return correct(request | {"dimensions": DIMS + 1})


def mixed_sizes(request: dict[str, Any]) -> Answer:
    return correct(
        request,
        change=lambda data: [*data[:-1], data[-1] | {"embedding": data[-1]["embedding"][1:]}],
    )


def not_a_number(request: dict[str, Any]) -> Answer:
    return correct(
        request,
        change=lambda data: [
            data[0] | {"embedding": [float("nan"), *data[0]["embedding"][1:]]},
            *data[1:],
        ],
    )


def same_index(request: dict[str, Any]) -> Answer:
    return correct(request, change=lambda data: [item | {"index": 0} for item in data])


def broken_base64(request: dict[str, Any]) -> Answer:
    status, _, content = floats(request)
    body = json.loads(content)
    for item in body["data"]:
        item["embedding"] = "QUJD"  # three bytes: no 32-bit number
    return reply(status, body)


def no_data(request: dict[str, Any]) -> Answer:
    return reply(200, {"object": "list", "data": [], "model": request["model"]})


def not_json(request: dict[str, Any]) -> Answer:
    return reply(200, b"<html>It works!</html>", content_type="text/html")


def broken_json(request: dict[str, Any]) -> Answer:
    return reply(200, b'{"object": "list", "data": [')


def said(content: str) -> Answer:
    """Answer a chat with this text."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    return reply(200, body)


def naming(request: dict[str, Any]) -> Answer:
    """Name each group of texts after its number and how many texts it was given."""
    groups = json.loads(request["messages"][-1]["content"])
    return said(json.dumps({one: f"Group {one} of {len(texts)}" for one, texts in groups.items()}))


class EmbeddingsServer(ThreadingHTTPServer):
    """What it was asked is in `requests` and `keys`; the next answers come from `behaviours`.

    A behaviour answers one request; when none is left, the answer is correct. `hang` blocks
    until the server is closed.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.behaviours: deque[Behaviour] = deque()
        self.closing = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def hang(self, request: dict[str, Any]) -> Answer:
        self.closing.wait(30)
        return reply(503, {})

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of callers that gave up waiting."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EmbeddingsServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        request = json.loads(body)
        server = self.server
        server.requests.append(request)
        server.keys.append(self.headers.get("authorization", ""))
        usual = {"/v1/embeddings": correct, "/v1/chat/completions": naming}.get(self.path)
        if usual is None:
            behaviour = refuse(404, "not_found")
        else:
            behaviour = server.behaviours.popleft() if server.behaviours else usual
        status, headers, content = behaviour(request)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""


@contextmanager
def embeddings_server() -> Iterator[EmbeddingsServer]:
    """A running server, ended with the block."""
    server = EmbeddingsServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
