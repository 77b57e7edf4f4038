"""Calls to Chroma: what they raise told in one sentence of ours, and pieces it can take."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import httpx
from chromadb.errors import ChromaError, NotFoundError

from store.errors import StoreError, StoreNotFound, StoreUnreachable, WriteFailed

Item = TypeVar("Item")


@contextmanager
def plain_errors(action: str) -> Iterator[None]:
    """Turn what Chroma and its transport raise into one sentence of ours."""
    try:
        yield
    except StoreError:
        raise
    except NotFoundError as exc:
        raise StoreNotFound(
            f"A collection was gone while {action}: another process removed it, or made the "
            "vectors anew; open the store again."
        ) from exc
    except httpx.TransportError as exc:
        raise StoreUnreachable(
            f"The Chroma server stopped answering while {action} "
            f"({exc or type(exc).__name__}); check that it runs, then try again."
        ) from exc
    except ChromaError as exc:
        raise WriteFailed(f"Chroma refused while {action}: {exc}") from exc


def chunks(sequence: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Cut a sequence into pieces of at most `size`."""
    for start in range(0, len(sequence), size):
        yield sequence[start : start + size]
