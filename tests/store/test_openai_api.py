"""The embeddings API, spoken with a real server on this machine."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from store.embedder import Embedder
from store.embedding import resolve, resolve_recorded
from store.errors import EmbeddingError, InvalidOperation
from store.openai_api import OpenAIEmbeddings
from tests import embeddings_server as api

KEY = "sk-secret-1234567890"
MODEL = "text-embedding-3-small"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server() -> Iterator[api.EmbeddingsServer]:
    with api.embeddings_server() as running:
        yield running


def embedder(server: api.EmbeddingsServer, **options: object) -> Embedder:
    return resolve(f"openai:{MODEL}?base_url={server.base_url}", **options)


def impatient(server: api.EmbeddingsServer, **options: object) -> Embedder:
    """One that gives up at once, to see what is said then."""
    client = OpenAIEmbeddings(MODEL, base_url=server.base_url, **{"max_retries": 0, **options})
    return Embedder(client, fingerprint=client.fingerprint, spec=client.fingerprint)


def expected(*texts: str) -> np.ndarray:
    return np.stack([api.vector_for(text) for text in texts])


@pytest.mark.parametrize("behaviour", [api.correct, api.floats, api.shuffled])
def test_each_text_gets_its_own_vector(
    server: api.EmbeddingsServer, behaviour: api.Behaviour
) -> None:
    server.behaviours.append(behaviour)
    texts = [f"text {number}" for number in range(20)]
    np.testing.assert_allclose(embedder(server).embed_documents(texts), expected(*texts), rtol=1e-6)


def test_a_question_gets_its_vector(server: api.EmbeddingsServer) -> None:
    np.testing.assert_allclose(embedder(server).embed_query("q"), expected("q")[0], rtol=1e-6)


def test_the_key_and_the_model_are_sent(server: api.EmbeddingsServer) -> None:
    embedder(server).embed_query("q")
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests[0]["model"] == MODEL


def test_no_request_holds_more_than_512_texts(server: api.EmbeddingsServer) -> None:
    vectors = embedder(server).embed_documents([str(number) for number in range(1030)])
    assert [len(request["input"]) for request in server.requests] == [512, 512, 6]
    assert len(vectors) == 1030


def test_no_request_holds_more_than_240_kilobytes(server: api.EmbeddingsServer) -> None:
    embedder(server).embed_documents(["é" * 50_000] * 5 + ["x" * 300_000])
    assert [len(request["input"]) for request in server.requests] == [2, 2, 1, 1]


def test_an_empty_text_is_never_sent(server: api.EmbeddingsServer) -> None:
    assert len(embedder(server).embed_documents(["", "a"])) == 2
    assert server.requests[0]["input"] == [" ", "a"]


def test_half_a_surrogate_pair_can_be_sent(server: api.EmbeddingsServer) -> None:
    embedder(server).embed_query("\ud83d?")
    assert server.requests[0]["input"] == ["??"]


def test_nothing_is_sent_for_no_texts(server: api.EmbeddingsServer) -> None:
    assert embedder(server).embed_documents([]) == []
    assert server.requests == []


def test_dimensions_are_asked_for(server: api.EmbeddingsServer) -> None:
    found = resolve(f"openai:{MODEL}?dimensions=4&base_url={server.base_url}")
    assert found.dims == 4
    assert len(found.embed_query("q")) == 4
    assert server.requests[0]["dimensions"] == 4


def test_a_busy_server_is_asked_again(server: api.EmbeddingsServer) -> None:
    busy = api.refuse(429, "rate_limit_exceeded", retry_after_ms="1")
    server.behaviours += [busy, busy]
    assert len(embedder(server).embed_query("q")) == api.DIMS
    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_not_asked_for_ever(server: api.EmbeddingsServer) -> None:
    server.behaviours += [api.refuse(429, "rate_limit_exceeded", retry_after_ms="1")] * 10
    with pytest.raises(EmbeddingError, match="too busy"):
        embedder(server).embed_query("q")
    assert len(server.requests) == 4


REFUSALS = {
    "no quota": (api.refuse(429, "insufficient_quota", x_should_retry="false"), "quota is used up"),
    "wrong key": (api.refuse(401, "invalid_api_key", f"Incorrect key {KEY}"), "check OPENAI_API_K"),
    "not allowed": (api.refuse(403, "forbidden", f"Key {KEY}"), "does not allow"),
    "unknown model": (api.refuse(404, "model_not_found"), "does not know this model"),
    "bad request": (
        api.refuse(400, "invalid", f"maximum context length {KEY}"),
        r"status 400: maximum context length \[key\]",
    ),
    "server error": (api.refuse(500, "internal", "oops"), "status 500: oops"),
    "too few": (api.one_too_few, "2 vectors for 3 texts"),
    "mixed sizes": (api.mixed_sizes, "7 numbers for text 3 of 3, where 8 were expected"),
    "not a number": (api.not_a_number, "nan at position 0 of the vector for text 1 of 3"),
    "one index for all": (api.same_index, "did not number its 3 vectors"),
    "broken base64": (api.broken_base64, "did not answer with embeddings"),
    "no data": (api.no_data, "did not answer with embeddings"),
    "a web page": (api.not_json, "did not answer with embeddings"),
    "broken JSON": (api.broken_json, "did not answer with embeddings"),
}


@pytest.mark.parametrize(("behaviour", "told"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_went_wrong_is_told_without_the_key(
    server: api.EmbeddingsServer, behaviour: api.Behaviour, told: str
) -> None:
    server.behaviours.append(behaviour)
    with pytest.raises(EmbeddingError, match=told) as caught:
        impatient(server).embed_documents(["a", "b", "c"])
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_size_than_before_is_refused(server: api.EmbeddingsServer) -> None:
    found = embedder(server)
    found.embed_query("q")
    server.behaviours.append(api.wrong_size)
    with pytest.raises(EmbeddingError, match="9 numbers for text 1 of 1, where 8 were expected"):
        found.embed_query("q")


def test_a_server_that_hangs_is_told_within_the_timeout(server: api.EmbeddingsServer) -> None:
    server.behaviours.append(server.hang)
    begun = time.monotonic()
    with pytest.raises(EmbeddingError, match="did not answer in time"):
        impatient(server, timeout=0.3).embed_query("q")
    assert time.monotonic() - begun < 5


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        client = OpenAIEmbeddings(MODEL, base_url=url, max_retries=0)
        with pytest.raises(EmbeddingError, match="cannot be reached"):
            client.embed_query("q")


def test_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InvalidOperation, match="needs the environment variable OPENAI_API_KEY"):
        resolve(f"openai:{MODEL}")


def test_a_server_of_ones_own_needs_no_key(
    monkeypatch: pytest.MonkeyPatch, server: api.EmbeddingsServer
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert len(embedder(server).embed_query("q")) == api.DIMS


@pytest.mark.parametrize(
    "options",
    [
        "dimensions=none",
        "dimensions=0",
        "dimensions=-1",
        "base_url=example",
        "base_url=file:///etc",
        f"base_url=http://user:{KEY}@example.com",
        f"api_key={KEY}",
        "dimensions=1&dimensions=2",
        KEY,
    ],
)
def test_a_wrong_option_is_refused_without_repeating_a_secret(options: str) -> None:
    with pytest.raises(InvalidOperation) as caught:
        resolve(f"openai:{MODEL}?{options}")
    assert KEY not in str(caught.value)


def test_it_works_from_several_event_loops(server: api.EmbeddingsServer) -> None:
    found = embedder(server)

    async def both() -> list[list[float]]:
        return list(await asyncio.gather(found.aembed_query("a"), found.aembed_query("b")))

    np.testing.assert_allclose(asyncio.run(both()), expected("a", "b"), rtol=1e-6)
    np.testing.assert_allclose(asyncio.run(both()), expected("a", "b"), rtol=1e-6)


def test_a_server_is_taken_from_a_record_only_when_the_environment_names_it(
    monkeypatch: pytest.MonkeyPatch, server: api.EmbeddingsServer
) -> None:
    spec = f"openai:{MODEL}?base_url={server.base_url}"
    with pytest.raises(InvalidOperation, match="not told to trust"):
        resolve_recorded(spec)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url + "/")
    assert len(resolve_recorded(spec).embed_query("q")) == api.DIMS


def test_the_address_is_no_part_of_the_fingerprint(server: api.EmbeddingsServer) -> None:
    assert embedder(server).fingerprint == f"openai:{MODEL}"
    assert resolve(f"openai:{MODEL}?dimensions=4").fingerprint == f"openai:{MODEL}?dimensions=4"


def test_the_client_is_imported_with_the_first_text() -> None:
    code = (
        "import sys; from store.embedding import resolve;"
        "resolve('openai:m?base_url=http://127.0.0.1:9/v1'); print('openai' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
