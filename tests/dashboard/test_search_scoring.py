"""Scores get their plain label from the store's own unrelated memories."""

import numpy as np

from dashboard.scoring import Background, explain, from_vectors
from store import VectorTable


def table(matrix: np.ndarray, owners: list[str] | None = None) -> VectorTable:
    keys = owners or [str(row) for row in range(len(matrix))]
    references = tuple((("a",), key) for key in keys)
    return VectorTable(
        references, ("text",) * len(keys), ("r",) * len(keys), matrix.astype(np.float32)
    )


def directions(count: int, dims: int = 48) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(count, dims))


def test_labels_are_percentiles_of_random_pairs() -> None:
    matrix = directions(200)
    background = from_vectors(table(matrix))
    assert background is not None
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    scores = (unit @ unit.T)[np.triu_indices(200, 1)]
    assert np.isclose((scores >= background.strong).mean(), 0.01, atol=0.001)
    assert np.isclose((scores >= background.related).mean(), 0.05, atol=0.001)
    assert background.label(background.strong) == "strong"
    assert background.label(background.related) == "related"
    assert background.label(background.median) == "weak"


def test_length_of_vectors_does_not_matter() -> None:
    matrix = directions(60)
    scaled = matrix * np.linspace(0.1, 90, 60)[:, None]
    one, other = from_vectors(table(matrix)), from_vectors(table(scaled))
    assert one is not None
    assert other is not None
    assert np.isclose(one.strong, other.strong, atol=1e-5)


def test_fewer_than_thirty_memories_are_too_few_to_say() -> None:
    assert from_vectors(table(directions(29))) is None
    assert from_vectors(table(directions(30))) is not None
    assert "too few" in explain(None)


def test_vectors_of_one_memory_are_not_a_pair() -> None:
    many_of_few = [str(row % 10) for row in range(100)]
    assert from_vectors(table(directions(100), many_of_few)) is None


def test_copies_of_one_text_do_not_raise_the_bar() -> None:
    matrix = directions(60)
    copies = np.vstack([matrix, np.repeat(matrix[:1], 60, axis=0)])
    background = from_vectors(table(copies))
    assert background is not None
    assert background.strong < 0.9


def test_a_store_of_copies_only_has_no_background() -> None:
    assert from_vectors(table(np.ones((40, 8)))) is None


def test_zero_vectors_are_no_trouble() -> None:
    background = from_vectors(table(np.vstack([directions(40), np.zeros((2, 48))])))
    assert background is not None
    assert np.isfinite(background.strong)


def test_the_explanation_names_this_stores_numbers() -> None:
    text = Background(197, 0.041, 0.237, 0.445).explain()
    assert all(part in text for part in ("0.04", "0.24", "0.45", "197 memories"))
