"""What each page says when something is missing, off or not as expected."""

import pytest
from langchain_core.embeddings import Embeddings

from tests.dashboard.conftest import FEW, MIRA, Fill, Open, memory, texts
from tests.dashboard.pages import LINK, table


class Vowels(Embeddings):
    """An embedder that only its own program has."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, *(float(text.count(vowel)) for vowel in "aei")] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture
def foreign(fill: Fill) -> None:
    """A store whose vectors another embedder of another size made."""
    fill(FEW, index={"embed": Vowels(), "dims": 4, "fields": ["text"]})


def test_with_another_embedder_every_page_says_whose_vectors_it_holds(foreign, open_page: Open):
    for name in ("overview", "browse", "search", "map"):
        page = open_page(name)
        assert "Search is off" in texts(page)
        assert "4 dimensions" in texts(page).replace("\\", "")
        assert "Vowels" in texts(page)
        assert not page.exception


def test_with_another_embedder_no_memory_claims_to_be_found_by_meaning(foreign, open_page: Open):
    page = open_page("browse", **LINK)
    assert "Search by meaning is off for this store" in texts(page)
    assert "can find it" not in texts(page)
    assert "searched by meaning" not in texts(page)


def test_with_another_embedder_memories_are_still_listed_and_deleted(
    foreign, open_page: Open, store
):
    page = open_page("browse", **LINK)
    assert "p1" in set(table(page).value["Key"])
    page.button(key="inspector-delete").click().run()
    page.button(key="confirm-delete").click().run()
    assert "1 memory deleted" in page.success[0].value
    assert store().read(MIRA, "p1") is None


def test_with_another_embedder_words_are_still_found(foreign, open_page: Open):
    page = open_page("search", q="radios")
    assert "Search by meaning is off for this store" in texts(page)
    page.button(key="hits-words").click().run()
    assert "Tomas repairs old radios." in texts(page)


def test_an_empty_store_says_how_the_first_memory_gets_in(open_page: Open, fill: Fill):
    fill(())
    page = open_page("browse")
    assert "Nothing is remembered yet" in texts(page)
    assert "New memory" in texts(page)
    assert "No memories yet" in texts(open_page("search", q="tea"))


def test_an_empty_scope_says_so_on_both_pages(open_page: Open, fill: Fill):
    fill(FEW)
    assert "No memories here" in texts(open_page("browse", ns='["nobody"]'))
    page = open_page("search", q="tea", ns='["nobody"]')
    assert "This namespace is empty" in texts(page)
    page.button(key="hits-everywhere").click().run()
    assert "Mira drinks green tea every morning." in texts(page)


def test_no_match_says_of_how_many(open_page: Open, fill: Fill):
    fill(memory(("a",), f"k{n}", f"number {n}") for n in range(1_204))
    filter = '{"text":{"$eq":"nothing"}}'
    assert "0 of 1,204 matched" in texts(open_page("browse", filter=filter))
    assert "0 of 1,204 matched" in texts(open_page("search", q="tea", filter=filter))


def test_a_store_without_an_index_says_so_beside_a_memory(open_page: Open, fill: Fill):
    fill(FEW, index=None)
    page = open_page("browse", **LINK)
    assert "Search by meaning is off for this store" in texts(page)
    assert "cannot find it" not in texts(page)
