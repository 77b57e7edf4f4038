"""The memories most like one memory, by its stored vector."""

from store import ChromaStore, Match, Reference


def nearest(store: ChromaStore, reference: Reference, limit: int = 5) -> list[Match]:
    """Return the memories nearest to one, best first, itself left out.

    Compares stored vectors, so nothing is embedded; empty when the memory has no vector. Raises
    SearchUnavailable when search by meaning is off.
    """
    table = store.vectors(references=[reference])
    if not table.references:
        return []
    matches = store.match(vector=table.matrix[0].tolist(), limit=limit + 1)
    others = [
        match
        for match in matches
        if match.memory.reference != reference and match.score is not None
    ]
    return others[:limit]
