"""Likeness: whether an embedder without a name is the one that made the stored vectors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from store.errors import EmbedderMismatch
from store.gateway import Gateway
from store.indexing import Indexing
from store.operations import Put
from store.ranking import normalise
from store.records import owner_of, texts_to_embed

_SAMPLE = 5
_SAME = 0.99


def settle(indexing: Indexing, recorded: Mapping[str, Any], gateway: Gateway) -> Indexing:
    """Take over the recorded fingerprint if the embedder makes the vectors that are stored.

    Objects and functions have no name to compare, so one stored memory is embedded again.

    Raises:
        EmbedderMismatch: The embedder gives the same text another vector.
    """
    embedder, known = indexing.embedder, str(recorded.get("fingerprint") or "")
    if embedder is None or not known or known == indexing.fingerprint:
        return indexing
    alike = _likeness(indexing, gateway)
    if alike is not None and alike < _SAME:
        raise EmbedderMismatch(
            f"The stored vectors were made by {recorded.get('embedder') or known} and "
            f"{embedder.name} gives a stored text another vector (cosine {alike:.2f}); open the "
            "store with the first, or rebuild its vectors with the second."
        )
    return indexing if alike is None else replace(indexing, fingerprint=known)


def _likeness(indexing: Indexing, gateway: Gateway) -> float | None:
    """Give the cosine of a stored vector and its text embedded anew; None if none is stored."""
    sample = gateway.some_vectors(_SAMPLE)
    records = gateway.read([owner_of(one.id) for one in sample])
    for one in sample:
        record = records.get(owner_of(one.id))
        if record is None or record.entry.revision != one.revision or not np.any(one.values):
            continue
        entry = record.entry
        put = Put(entry.namespace, entry.key, record.value(), record.encoded, (one.path,), None)
        texts = [text for _, text in texts_to_embed(put, ())]
        if texts:
            fresh = indexing.require().embed_documents(texts)
            stored = normalise(one.values)
            return max(float(np.dot(normalise(vector), stored)) for vector in fresh)
    return None
