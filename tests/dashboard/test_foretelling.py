"""Before a person saves or deletes, the saved questions tell what it changes."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import resources
from dashboard.probes import Probe
from tests.dashboard.conftest import FEW, Fill, Open, texts
from tests.dashboard.pages import LINK, edit, tick

QUESTION = "What does Mira do for a living?"
ANSWER = "Mira works as a nurse."


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill: Fill) -> None:
    """The few memories, and two saved questions."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    fill(FEW)
    resources.probes().save([Probe(QUESTION, (), 2), Probe("old radios", ("users", "tomas"), 1)])


def foretold(page: AppTest) -> str:
    return "\n".join([*(one.label for one in page.expander), texts(page)])


CHANGED = "1 of 2 saved questions would be answered differently"


def test_before_saving(asked, open_page: Open):
    page = edit(open_page("browse", **LINK), '{"text": "Mira paints landscapes."}')
    assert CHANGED in foretold(page)
    assert f"1. {ANSWER}" in texts(page)
    assert "old radios: the same 1" in texts(page)


def test_before_deleting_one(asked, open_page: Open):
    page = open_page("browse", **LINK)
    page.button(key="inspector-delete").click().run()
    assert CHANGED in foretold(page)
    assert "(leaves)" in texts(page)
    assert "(new)" in texts(page)


def test_before_deleting_what_is_ticked(asked, open_page: Open):
    page = tick(open_page("browse"), 1, 4)
    page.button(key="bulk-delete").click().run()
    assert "2 of 2 saved questions would be answered differently" in foretold(page)
    assert "Nothing is found." in texts(page)


def test_before_deleting_a_namespace(asked, open_page: Open):
    page = open_page("browse", ns='["users","tomas"]')
    page.menu_button(key="listing-more").click("Delete this namespace…").run()
    assert "would lose a memory from the top" in foretold(page)
    assert "Nothing is found." in texts(page)


def test_what_changes_no_answer_says_so(asked, open_page: Open):
    page = tick(open_page("browse"), 0)
    page.button(key="bulk-delete").click().run()
    assert "All 2 saved questions would be answered as now" in foretold(page)
