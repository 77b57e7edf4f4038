"""Which embedders are taken, and what of theirs is refused."""

import asyncio
import functools
import importlib.util
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from store.embedder import Embedder
from store.embedding import resolve, resolve_recorded
from store.errors import EmbedderMismatch, EmbeddingError, InvalidOperation

Texts = Sequence[str]


def lengths(texts: Texts) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


async def lengths_later(texts: Texts) -> list[list[float]]:
    await asyncio.sleep(0)
    return lengths(texts)


class Lengths(Embeddings):
    model = "lengths-2"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return lengths(texts)

    def embed_query(self, text: str) -> list[float]:
        return lengths([text])[0]


class AsyncLengths(Lengths):
    """Remembers the loops it was awaited in."""

    def __init__(self) -> None:
        self.loops: list[asyncio.AbstractEventLoop] = []

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.loops.append(asyncio.get_running_loop())
        return lengths(texts)

    async def aembed_query(self, text: str) -> list[float]:
        return (await self.aembed_documents([text]))[0]


class AsyncCallable:
    async def __call__(self, texts: Texts) -> list[list[float]]:
        return await lengths_later(texts)


KINDS = {
    "object": Lengths(),
    "async object": AsyncLengths(),
    "function": lengths,
    "async function": lengths_later,
    "partial": functools.partial(lengths),
    "async partial": functools.partial(lengths_later),
    "lambda": lambda texts: lengths(texts),
    "lambda giving a coroutine": lambda texts: lengths_later(texts),
    "async callable object": AsyncCallable(),
    "embedder": Embedder(Lengths(), fingerprint="x"),
}
every_kind = pytest.mark.parametrize("embed", KINDS.values(), ids=KINDS.keys())


@every_kind
def test_every_kind_embeds(embed: object) -> None:
    found = resolve(embed)
    assert found.embed_documents(["a", "bcd"]) == [[1.0, 1.0], [3.0, 1.0]]
    assert found.embed_query("ab") == [2.0, 1.0]
    assert found.dims == 2


@every_kind
def test_every_kind_embeds_in_one_loop_after_another(embed: object) -> None:
    found = resolve(embed)

    async def both() -> object:
        return await asyncio.gather(found.aembed_documents(["a"]), found.aembed_query("ab"))

    for _ in range(2):
        assert asyncio.run(both()) == [[[1.0, 1.0]], [2.0, 1.0]]


@every_kind
def test_every_kind_embeds_in_synchronous_code_inside_a_running_loop(embed: object) -> None:
    found = resolve(embed)

    async def inside() -> list[float]:
        return found.embed_query("ab")

    assert asyncio.run(inside()) == [2.0, 1.0]


def test_the_async_version_of_an_object_is_awaited_in_the_callers_loop() -> None:
    model = AsyncLengths()

    async def call() -> asyncio.AbstractEventLoop:
        await resolve(model).aembed_query("a")
        return asyncio.get_running_loop()

    assert model.loops == [asyncio.run(call())]


def test_a_synchronous_function_does_not_block_the_loop() -> None:
    threads: list[threading.Thread] = []

    def remembering(texts: Texts) -> list[list[float]]:
        threads.append(threading.current_thread())
        return lengths(texts)

    asyncio.run(resolve(remembering).aembed_query("a"))
    assert threads[0] is not threading.main_thread()


def test_a_client_that_keeps_connections_finds_its_loop_again() -> None:
    loops = []

    async def keeping(texts: Texts) -> list[list[float]]:
        loops.append(asyncio.get_running_loop())
        return lengths(texts)

    found = resolve(keeping)
    found.embed_query("a")
    found.embed_query("b")
    assert loops[0] is loops[1]
    assert not loops[0].is_closed()


def test_an_async_function_may_itself_call_synchronous_code_that_embeds() -> None:
    inner = resolve(lengths_later)

    async def outer(texts: Texts) -> list[list[float]]:
        return inner.embed_documents(list(texts))

    assert resolve(outer).embed_query("ab") == [2.0, 1.0]


def test_many_threads_may_use_one() -> None:
    found = resolve(lengths_later)
    results: list[list[float]] = []
    threads = [
        threading.Thread(target=lambda: results.append(found.embed_query("ab"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[2.0, 1.0]] * 8


@pytest.mark.parametrize(
    "given", [np.float32, np.float64, np.int64], ids=lambda kind: kind.__name__
)
def test_numpy_arrays_become_lists_of_floats(given: type) -> None:
    found = resolve(lambda texts: np.ones((len(texts), 3), dtype=given)).embed_query("a")
    assert found == [1.0, 1.0, 1.0]
    assert all(type(number) is float for number in found)


def test_nothing_is_asked_for_no_texts() -> None:
    def never(texts: Texts) -> list[list[float]]:
        raise AssertionError("asked")

    assert resolve(never).embed_documents([]) == []
    assert asyncio.run(resolve(never).aembed_documents([])) == []


def test_progress_is_told_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    resolve(lengths).embed_documents(["a"] * 600, progress=lambda *numbers: told.append(numbers))
    assert told == [(256, 600), (512, 600), (600, 600)]


WRONG: dict[str, tuple[Any, str]] = {
    "nothing": (None, "returned NoneType instead of a list"),
    "text": ("vectors", "returned str instead of a list"),
    "a number": (3, "returned int instead of a list"),
    "a dict": ({"a": [1.0]}, "returned dict instead of a list"),
    "too few": ([[1.0, 2.0]], "returned 1 vectors for 2 texts"),
    "too many": ([[1.0]] * 3, "returned 3 vectors for 2 texts"),
    "no vectors": ([], "returned 0 vectors for 2 texts"),
    "two sizes": ([[1.0, 2.0], [1.0]], "1 numbers for text 2 of 2, where 2 were expected"),
    "empty": ([[1.0], []], "an empty vector for text 2 of 2"),
    "not a number": ([[1.0], [float("nan")]], "nan at position 0 of the vector for text 2 of 2"),
    "infinite": ([[1.0, float("-inf")]] * 2, "-inf at position 1 of the vector for text 1 of 2"),
    "beyond 32 bits": ([[1e300]] * 2, "1e\\+300 at position 0"),
    "words": ([["1", "2"]] * 2, "a vector holding str for text 1 of 2"),
    "holes": ([[1.0, None]] * 2, "a vector holding NoneType for text 1 of 2"),
    "bools": ([[True, False]] * 2, "a vector holding bool"),
    "complex": ([[1j]] * 2, "a vector holding complex"),
    "numbers": ([1.0, 2.0], "float for text 1 of 2"),
    "nested": ([[[1.0]], [[1.0]]], r"an array of shape \(1, 1\) for text 1 of 2"),
    "ragged": ([[[1.0], [1.0, 2.0]]] * 2, "something that is not a vector for text 1 of 2"),
}


@pytest.mark.parametrize(("returned", "told"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_stored_is_refused(returned: Any, told: str) -> None:
    with pytest.raises(EmbeddingError, match=told):
        resolve(lambda texts: returned).embed_documents(["a", "b"])


@pytest.mark.parametrize(("returned", "told"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_stored_is_refused_when_awaited_too(returned: Any, told: str) -> None:
    async def wrong(texts: Texts) -> Any:
        return returned

    with pytest.raises(EmbeddingError, match=told):
        asyncio.run(resolve(wrong).aembed_documents(["a", "b"]))


@pytest.mark.parametrize("returned", [[], None, [[1.0], [2.0]], [[float("nan")]]], ids=repr)
def test_a_question_is_checked_like_a_document(returned: Any) -> None:
    with pytest.raises(EmbeddingError):
        resolve(lambda texts: returned).embed_query("a")


def test_a_zero_vector_is_taken() -> None:
    assert resolve(lambda texts: [[0.0, 0.0]]).embed_query("a") == [0.0, 0.0]


def test_the_size_is_that_of_the_first_vector_ever_after() -> None:
    sizes = iter([2, 3])
    found = resolve(lambda texts: [[1.0] * next(sizes)])
    found.embed_query("a")
    with pytest.raises(EmbeddingError, match="3 numbers for text 1 of 1, where 2 were expected"):
        found.embed_query("a")


def test_the_size_the_caller_counts_on_is_held_against_the_first_vector() -> None:
    with pytest.raises(EmbeddingError, match="2 numbers for text 1 of 1, where 5 were expected"):
        resolve(lengths, dims=5).embed_query("a")


def test_an_embedder_that_fails_is_named_with_its_reason() -> None:
    def failing(texts: Texts) -> list[list[float]]:
        raise KeyError("no such model")

    with pytest.raises(EmbeddingError, match=r"failing failed with KeyError: 'no such model'"):
        resolve(failing).embed_documents(["a"])
    with pytest.raises(EmbeddingError, match=r"failing failed with KeyError"):
        asyncio.run(resolve(failing).aembed_documents(["a"]))


def test_half_a_surrogate_pair_reaches_no_embedder() -> None:
    seen: list[str] = []

    def seeing(texts: Texts) -> list[list[float]]:
        seen.extend(texts)
        return lengths(texts)

    resolve(seeing).embed_documents(["a\ud83d", "😀"])
    assert seen == ["a?", "😀"]


@pytest.mark.parametrize(
    ("embed", "told"),
    [
        (None, "no 'embed'"),
        ("", "no 'embed'"),
        (3, "cannot be 3"),
        (Lengths, "cannot be the class Lengths"),
        ("minilm", "'minilm' is not 'provider:model'"),
        (":minilm", "is not 'provider:model'"),
        ("local:", "is not 'provider:model'"),
        ("local:other", "no local embedder 'other'"),
        ("local:minilm?dimensions=3", "takes no options, got dimensions"),
        ("nowhere:model?api_key=x", "takes no api_key"),
        ("nowhere:model", "'nowhere:model' names no embedder"),
        (f"{__name__}:lengths", "names no embedder"),
    ],
)
def test_what_names_no_embedder_is_a_value_error(embed: object, told: str) -> None:
    with pytest.raises(InvalidOperation, match=told) as caught:
        resolve(embed)
    assert isinstance(caught.value, ValueError)


@pytest.mark.skipif(
    importlib.util.find_spec("langchain") is not None, reason="langchain is installed here"
)
def test_a_provider_of_langchain_names_the_extra() -> None:
    with pytest.raises(InvalidOperation, match=r"memlens\[langchain\]"):
        resolve("cohere:embed-english-v3.0")


def test_a_configuration_may_name_a_module_and_an_attribute() -> None:
    found = resolve(f"{__name__}:lengths", allow_import=True)
    assert found.embed_query("ab") == [2.0, 1.0]
    assert found.spec is None


@pytest.mark.parametrize(
    "spec", ["no_such_module:f", f"{__name__}:no_such", f"{__name__}:__name__"]
)
def test_an_import_that_finds_nothing_is_told(spec: str) -> None:
    with pytest.raises(InvalidOperation):
        resolve(spec, allow_import=True)


@pytest.mark.parametrize("spec", [f"{__name__}:lengths", "cohere:embed", "lengths", ""])
def test_a_record_chooses_no_code(spec: str) -> None:
    with pytest.raises(InvalidOperation, match="only local: and openai:"):
        resolve_recorded(spec)


def test_a_record_names_a_local_embedder() -> None:
    assert resolve_recorded("local:minilm", dims=384).spec == "local:minilm"


def test_a_size_known_to_be_wrong_is_told_before_anything_is_embedded() -> None:
    with pytest.raises(EmbedderMismatch, match="384 numbers, and the index says dims=256"):
        resolve("local:minilm", dims=256)


def test_fingerprints_tell_models_apart() -> None:
    assert resolve(lengths).fingerprint == f"{__name__}.lengths"
    assert resolve(functools.partial(lengths)).fingerprint == f"{__name__}.lengths"
    assert resolve(AsyncCallable()).fingerprint == f"{__name__}.AsyncCallable"
    assert resolve(Lengths()).fingerprint == f"{__name__}.Lengths:lengths-2"
    assert len(resolve("local:minilm").fingerprint) == 64


def test_an_embedder_is_taken_as_it_is() -> None:
    found = resolve(lengths)
    assert resolve(found) is found
