import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.demo import fill_demo
from dashboard.map_naming import Namer, NamingError, ask, namer
from store import ChromaStore
from tests import embeddings_server as api
from tests.dashboard.commands import INDEX
from tests.dashboard.conftest import Open, texts
from tests.dashboard.test_map_page import chart_of, settled

GROUPS = [["green tea", "black tea"], ["night train"]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[api.EmbeddingsServer]:
    with api.embeddings_server() as running:
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        yield running


def asked() -> list[str | None]:
    found = namer()
    assert found is not None
    return ask(found, GROUPS)


def test_without_a_key_there_is_nobody_to_ask(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert namer() is None


def test_the_model_and_the_server_are_as_configured(server, monkeypatch):
    monkeypatch.setenv("MEMLENS_CHAT_MODEL", "small-model")
    assert namer() == Namer("small-model", server.base_url.split("/")[2])


def test_each_group_gets_the_name_the_model_gave_it(server):
    assert asked() == ["Group 1 of 2", "Group 2 of 1"]
    assert server.keys == ["Bearer key-of-the-tests"]
    assert json.loads(server.requests[0]["messages"][-1]["content"]) == {
        "1": GROUPS[0],
        "2": GROUPS[1],
    }


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ({"1": "  Hot\n drinks ", "2": ""}, ["Hot drinks", None]),
        ({"2": 7, "3": "nobody"}, [None, None]),
        ({"1": "x" * 50, "2": "a\u202eb"}, ["x" * 31 + "…", "a\\u202eb"]),
    ],
    ids=["blank", "not text", "long or unseen"],
)
def test_a_name_that_cannot_be_shown_is_left_out_or_made_fit(server, answer, names):
    server.behaviours.append(lambda _: api.said(json.dumps(answer)))
    assert asked() == names


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (
            api.refuse(401, "invalid_api_key", "key-of-the-tests is wrong"),
            "refused with status 401",
        ),
        (lambda _: api.said("Certainly! Here are the names."), "did not answer with names"),
        (lambda _: api.said('["a", "b"]'), "did not answer with names"),
        (api.not_json, "did not answer with names"),
        (lambda _: api.reply(200, {"choices": []}), "did not answer with names"),
    ],
    ids=["refused", "talk", "a list", "a web page", "nothing"],
)
def test_what_goes_wrong_is_one_sentence_without_the_key(server, behaviour, message):
    server.behaviours.append(behaviour)
    with pytest.raises(NamingError, match=message) as raised:
        asked()
    assert "key-of-the-tests" not in str(raised.value)


def test_a_server_that_is_gone_is_said(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(NamingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        asked()


@pytest.fixture
def grouped(folder: Path) -> None:
    with ChromaStore.open(folder, index=INDEX) as store:
        fill_demo(store)


def test_nothing_is_offered_without_a_key(grouped, open_page: Open, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    page = settled(open_page("map"))
    assert not [button for button in page.button if button.key == "map-naming-send"]


def test_names_come_only_when_asked_for_and_go_back(grouped, server, open_page: Open):
    page = settled(open_page("map"))
    assert not page.exception, page.exception
    assert "12 texts" in texts(page)
    assert server.requests == []
    own = chart_of(page).proto.spec
    page.button(key="map-naming-send").click().run()
    assert "Group 1 of 12" in chart_of(page).proto.spec
    [request] = server.requests
    sent = json.loads(request["messages"][-1]["content"])
    assert all(len(group) <= 12 for group in sent.values())
    page.button(key="map-naming-back").click().run()
    assert chart_of(page).proto.spec == own


def test_a_refusal_is_told_and_the_groups_keep_their_words(grouped, server, open_page: Open):
    page = settled(open_page("map"))
    own = chart_of(page).proto.spec
    server.behaviours.append(api.refuse(401, "invalid_api_key"))
    page.button(key="map-naming-send").click().run()
    assert "refused with status 401" in texts(page)
    assert chart_of(page).proto.spec == own


def test_a_name_is_text_on_the_map(grouped, server, open_page: Open):
    page = settled(open_page("map"))
    bad = json.dumps({"1": "<img src=x>", "2": "<a href=x>b", "3": "<i>"})
    server.behaviours.append(lambda _: api.said(bad))
    page.button(key="map-naming-send").click().run()
    spec = chart_of(page).proto.spec
    assert "<img" not in spec
    assert "<a href" not in spec
    assert "img src=x" in spec
