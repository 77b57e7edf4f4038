"""The embedder a store uses: any embedding model, with everything it returns checked."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from store import coroutines
from store.errors import EmbeddingError, StoreError

Progress = Callable[[int, int], None]
"""Called with how many texts are done, and how many there are."""

_REPORT_EVERY = 256


class Embedder(Embeddings):
    """A LangChain Embeddings that checks what the model behind it returns.

    `spec` names the model so that another process can find it again, and is None for an object
    or a function; `fingerprint` tells models apart; `dims` is the size of the vectors, None
    until the first ones were made when nobody named it. Safe under threads and in any event loop.

    Every method raises EmbeddingError when the model fails, or returns the wrong number of
    vectors, another size, or something that is not a finite number.
    """

    def __init__(
        self,
        model: Embeddings,
        *,
        fingerprint: str,
        spec: str | None = None,
        dims: int | None = None,
    ) -> None:
        self.spec = spec
        self.fingerprint = fingerprint
        self.dims = dims
        self._model = model
        kind = type(model)
        self._async_documents = kind.aembed_documents is not Embeddings.aembed_documents
        self._async_query = kind.aembed_query is not Embeddings.aembed_query

    def __repr__(self) -> str:
        return f"Embedder({self.name!r}, dims={self.dims})"

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return self.spec or self.fingerprint

    def embed_documents(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> list[list[float]]:
        """Give one vector for each text, in order; `progress` is told while it works."""
        texts = [_encodable(text) for text in texts]
        step = _REPORT_EVERY if progress else max(len(texts), 1)
        vectors: list[list[float]] = []
        for start in range(0, len(texts), step):
            part = texts[start : start + step]
            vectors += self._checked(self._call(self._model.embed_documents, part), len(part))
            if progress:
                progress(len(vectors), len(texts))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question."""
        return self._checked_one(self._call(self._model.embed_query, _encodable(text)))

    async def aembed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Like `embed_documents`: awaited where the model is async itself, else in a thread."""
        texts = [_encodable(text) for text in texts]
        if not texts:
            return []
        if self._async_documents:
            result = await self._await(self._model.aembed_documents(texts))
        else:
            result = await asyncio.to_thread(self._call, self._model.embed_documents, texts)
        return self._checked(result, len(texts))

    async def aembed_query(self, text: str) -> list[float]:
        """Like `embed_query`: awaited where the model is async itself, else in a thread."""
        text = _encodable(text)
        if self._async_query:
            return self._checked_one(await self._await(self._model.aembed_query(text)))
        return self._checked_one(await asyncio.to_thread(self._call, self._model.embed_query, text))

    def _call(self, function: Callable[[Any], Any], argument: object) -> Any:
        try:
            return function(argument)
        except StoreError:
            raise
        except Exception as exc:  # the model is foreign code: it may raise anything
            raise self._failed(exc) from exc

    async def _await(self, result: Awaitable[Any]) -> Any:
        try:
            return await result
        except StoreError:
            raise
        except Exception as exc:  # as in _call
            raise self._failed(exc) from exc

    def _failed(self, exc: Exception) -> EmbeddingError:
        return EmbeddingError(f"The embedder {self.name} failed with {type(exc).__name__}: {exc}")

    def _checked_one(self, vector: object) -> list[float]:
        return self._checked([vector], 1)[0]

    def _checked(self, vectors: object, count: int) -> list[list[float]]:
        rows = self._rows(vectors, count)
        arrays = [self._array(row, place, count) for place, row in enumerate(rows, 1)]
        dims = self.dims or arrays[0].size
        for place, array in enumerate(arrays, 1):
            if array.size != dims:
                raise EmbeddingError(
                    f"The embedder {self.name} returned a vector of {array.size} numbers for text "
                    f"{place} of {count}, where {dims} were expected."
                )
        self.dims = dims
        return [array.tolist() for array in arrays]

    def _rows(self, vectors: object, count: int) -> list[Any]:
        if isinstance(vectors, str | bytes | dict) or not hasattr(vectors, "__iter__"):
            raise EmbeddingError(
                f"The embedder {self.name} returned {type(vectors).__name__} "
                "instead of a list of vectors."
            )
        rows = list(vectors)
        if len(rows) != count:
            raise EmbeddingError(
                f"The embedder {self.name} returned {len(rows)} vectors for {count} texts; "
                "it must return one for each."
            )
        return rows

    def _array(self, row: object, place: int, count: int) -> npt.NDArray[Any]:
        where = f"The embedder {self.name} returned"
        try:
            array = np.asarray(row)
        except (TypeError, ValueError) as exc:
            raise EmbeddingError(
                f"{where} something that is not a vector for text {place} of {count}: {exc}"
            ) from exc
        if array.ndim != 1 or (array.size and array.dtype.kind not in "fiu"):
            raise EmbeddingError(
                f"{where} {_described(array, row)} for text {place} of {count}, "
                "where a list of numbers was expected."
            )
        if not array.size:
            raise EmbeddingError(f"{where} an empty vector for text {place} of {count}.")
        # What is stored are 32-bit numbers: a larger one would become infinite there.
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~np.isfinite(array.astype(np.float32)))
        if bad.size:
            raise EmbeddingError(
                f"{where} {array[bad[0]]} at position {bad[0]} of the vector for text {place} of "
                f"{count}; every number must be finite."
            )
        return array.astype(np.float64, copy=False)


class FunctionEmbeddings(Embeddings):
    """A function from a list of texts to a list of vectors, sync or async, as Embeddings."""

    def __init__(self, function: Callable[[Sequence[str]], Any]) -> None:
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            type(function).__call__
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Call the function; what an async one returns is awaited on a background loop."""
        result = self._function(texts)
        vectors: list[list[float]] = (
            coroutines.run(_awaited(result)) if inspect.isawaitable(result) else result
        )
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Call the function with this one text."""
        vector: list[float] = _only(self.embed_documents([text]))
        return vector

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Await an async function in the caller's loop; call any other in a thread."""
        if self._is_async:
            result = self._function(texts)
        else:
            result = await asyncio.to_thread(self._function, texts)
        vectors: list[list[float]] = await result if inspect.isawaitable(result) else result
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        """Like `aembed_documents` with this one text."""
        vector: list[float] = _only(await self.aembed_documents([text]))
        return vector


def _only(vectors: Any) -> Any:
    """Give the single vector; anything else is handed on for the check to name it."""
    try:
        return vectors[0] if len(vectors) == 1 else vectors
    except (TypeError, KeyError):
        return vectors


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot hold: half a surrogate pair breaks every tokenizer and request."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _described(array: npt.NDArray[Any], row: object) -> str:
    if array.ndim == 1:
        odd = next(item for item in array.tolist() if type(item) not in (int, float))
        return f"a vector holding {type(odd).__name__}"
    return f"an array of shape {array.shape}" if array.ndim else type(row).__name__
