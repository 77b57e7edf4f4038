"""Made-up texts in any number, and the true answers to queries over them."""

import numpy as np

from tests.store.words import words_vector

Corpus = dict[str, str]


def corpus(size: int, *, same: int = 0) -> Corpus:
    """Texts of a few words; the first `same` of them are one and the same text."""
    texts = {f"k{n:05}": f"w{n % 61} x{n % 53} y{n % 47} z{n % 11}" for n in range(size)}
    return {
        key: "tea with milk" if n < same else text for n, (key, text) in enumerate(texts.items())
    }


def brute_force(texts: Corpus, query: str, limit: int) -> list[float]:
    """The best scores over all texts, computed one by one."""
    matrix = np.array([words_vector(text) for text in texts.values()])
    point = np.array(words_vector(query))
    lengths = np.linalg.norm(matrix, axis=1) * max(float(np.linalg.norm(point)), 1e-9)
    return sorted((matrix @ point / lengths).tolist(), reverse=True)[:limit]


QUERIES = ["w7 x7 y7 z7", "tea with milk", "milk w3", "x52 z0", "nothing of the kind"]
