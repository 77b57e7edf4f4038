"""Vectors of stored memories, made again from what they say."""

from collections.abc import Mapping

import numpy as np

from store.indexing import Indexing
from store.records import Record, Vector, record_texts, revision_of, vector_ids
from store.writer import check_size


def vectors_of(records: Mapping[str, Record], indexing: Indexing) -> tuple[list[Vector], Indexing]:
    """Embed memories, each distinct text once; give the vectors, and the size they turned out.

    Raises:
        EmbeddingError: The embedder failed, or gave vectors of another size than the store keeps.
    """
    texts = {one: record_texts(record, indexing.fields) for one, record in records.items()}
    distinct = list(dict.fromkeys(text for pairs in texts.values() for _, text in pairs))
    rows = indexing.require().embed_documents(distinct) if distinct else []
    dims = check_size(rows, indexing.dims)
    embedded = dict(zip(distinct, rows, strict=True))
    vectors = [
        Vector(vid, revision_of(pairs, indexing.fingerprint), path, _row(embedded[text]))
        for one, pairs in texts.items()
        for vid, (path, text) in zip(vector_ids(one, len(pairs)), pairs, strict=True)
    ]
    return vectors, indexing if dims is None else indexing.with_dims(dims)


def _row(numbers: list[float]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    return np.asarray(numbers, np.float32)
