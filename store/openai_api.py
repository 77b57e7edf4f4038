"""Embeddings from OpenAI, or from any server that speaks its embeddings API."""

import os
import re
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from langchain_core.embeddings import Embeddings

from store.errors import EmbeddingError, InvalidOperation

if TYPE_CHECKING:
    from openai import APIError, OpenAI

_MAX_INPUTS = 512
_MAX_BYTES = 240_000
_QUERY_TIMEOUT = 20.0


class OpenAIEmbeddings(Embeddings):
    """A client of the embeddings API; nothing is imported or sent before the first text.

    The key is OPENAI_API_KEY's; a server named by `base_url` or OPENAI_BASE_URL may need none.
    A busy server is asked again `max_retries` times; `timeout` is seconds for one request, and
    a question never waits longer than 20. Safe under threads. The async methods run in a thread,
    where connections stay open between calls whichever event loop asks.
    """

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 3,
    ) -> None:
        self.model = model
        self.dimensions = dimensions
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._timeout = timeout
        self._max_retries = max_retries
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        if not (os.environ.get("OPENAI_API_KEY") or self._base_url):
            raise InvalidOperation(
                f"openai:{model} needs the environment variable OPENAI_API_KEY, which is not set."
            )

    @classmethod
    def from_options(cls, model: str, options: Mapping[str, str]) -> "OpenAIEmbeddings":
        """Make one from the options of a spec: `dimensions` and `base_url`.

        Raises InvalidOperation for any other option, without repeating its value.
        """
        unknown = sorted(set(options) - {"dimensions", "base_url"})
        if unknown:
            raise InvalidOperation(
                f"openai:{model} takes the options dimensions and base_url, not "
                f"{', '.join(unknown)}."
            )
        return cls(
            model,
            dimensions=_dimensions(options.get("dimensions")),
            base_url=_base_url(options.get("base_url")),
        )

    @property
    def fingerprint(self) -> str:
        """Tells models apart; the server's address does not count, a model may move."""
        size = f"?dimensions={self.dimensions}" if self.dimensions else ""
        return f"openai:{self.model}{size}"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Give one vector for each text, in order, asking for up to 512 at a time."""
        vectors: list[list[float]] = []
        for batch in _batches(texts):
            vectors += self._request(batch, self._timeout)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question."""
        return self._request([text], min(self._timeout, _QUERY_TIMEOUT))[0]

    def _request(self, texts: list[str], timeout: float) -> list[list[float]]:
        import openai

        options: dict[str, Any] = {"dimensions": self.dimensions} if self.dimensions else {}
        try:
            # The API refuses an empty text; a space stands for it.
            answer = self._connected().embeddings.create(
                model=self.model, input=[text or " " for text in texts], timeout=timeout, **options
            )
        except openai.APIError as exc:
            raise EmbeddingError(self._explained(exc)) from exc
        except (AttributeError, TypeError, ValueError) as exc:
            # The client trusts the server: a web page or broken base64 trips its own code.
            raise EmbeddingError(
                f"{self._server} did not answer with embeddings: {type(exc).__name__}."
            ) from exc
        return self._in_order(getattr(answer, "data", None), len(texts))

    def _connected(self) -> "OpenAI":
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    api_key=os.environ.get("OPENAI_API_KEY") or "none",
                    base_url=self._base_url,
                    max_retries=self._max_retries,
                )
                weakref.finalize(self, self._client.close)
            return self._client

    def _in_order(self, data: object, count: int) -> list[list[float]]:
        if not isinstance(data, list):
            raise EmbeddingError(f"{self._server} did not answer with a list of embeddings.")
        if len(data) != count:
            raise EmbeddingError(
                f"{self._server} returned {len(data)} vectors for {count} texts; "
                "it must return one for each."
            )
        by_index: dict[Any, Any] = {
            getattr(item, "index", None): getattr(item, "embedding", None) for item in data
        }
        if set(by_index) != set(range(count)):
            raise EmbeddingError(
                f"{self._server} did not number its {count} vectors from 0 to {count - 1}, "
                "so they cannot be matched with the texts."
            )
        return [by_index[place] for place in range(count)]

    @property
    def _server(self) -> str:
        host = urlsplit(self._base_url).netloc if self._base_url else "OpenAI"
        return f"The embeddings server {host.rpartition('@')[2]} ({self.model})"

    def _explained(self, exc: "APIError") -> str:
        import openai

        if isinstance(exc, openai.APITimeoutError):
            return f"{self._server} did not answer in time; try again, or check that it is running."
        if isinstance(exc, openai.APIConnectionError):
            return f"{self._server} cannot be reached; check its address and the network."
        if exc.code == "insufficient_quota" or exc.type == "insufficient_quota":
            return (
                f"{self._server} refuses because the account's quota is used up; "
                "add credit or use another embedder."
            )
        status = getattr(exc, "status_code", None)
        if status in _REFUSALS:
            return f"{self._server} {_REFUSALS[status]}"
        return f"{self._server} refused with status {status}: {_reason(exc)}"


_REFUSALS = {
    401: "does not accept the key; check OPENAI_API_KEY.",
    403: "does not allow this key to use the model; check the account's permissions.",
    404: "does not know this model or address; check the model's name and base_url.",
    429: "is too busy for this account and stayed so after several tries; try again later.",
}


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Cut into what one request may hold; a longer text than that goes alone."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode("utf-8", "replace"))
        if batch and (len(batch) >= _MAX_INPUTS or size + length > _MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _dimensions(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and int(given) > 0):
        raise InvalidOperation(f"dimensions must be a positive whole number, got {given!r}.")
    return int(given)


def _base_url(given: str | None) -> str | None:
    if given is None:
        return None
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidOperation("base_url must be a full http:// or https:// address.")
    if parts.username or parts.password:
        raise InvalidOperation(
            "base_url must hold no name and password, as it is written into the store; "
            "a key belongs in OPENAI_API_KEY."
        )
    return given


def _reason(exc: "APIError") -> str:
    """Give the server's words, short and without anything that looks like a key."""
    body = exc.body if isinstance(exc.body, dict) else {}
    words = str(body.get("message") or exc.message)
    key = os.environ.get("OPENAI_API_KEY")
    hidden = words.replace(key, "[key]") if key else words
    return " ".join(re.sub(r"\b(sk|Bearer)[-_ ][\w*.-]+", "[key]", hidden).split())[:300]
