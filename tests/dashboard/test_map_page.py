import time

from dashboard import resources
from dashboard.projection_jobs import Request
from dashboard.widgets.map_chart import Chosen
from store import ChromaStore
from tests.dashboard.conftest import FEW, Fill, Open, memory, texts


def settled(page):
    """The page once its map is made."""
    resources.maps().wait(60)
    return page.run()


def chart_of(page):
    charts = page.get("plotly_chart")
    return charts[0] if charts else None


def places(page) -> dict[str, tuple[float, float]]:
    """Where the map of this store has each text, to a thousandth, once it shows what is stored."""
    maps, token, deadline = resources.maps(), resources.store().token(), time.monotonic() + 60
    while (shown := maps.ask(Request()).map) is None or shown.token != token:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    memories = resources.store().read_many([entry.reference for entry in shown.entries])
    return {
        memory.value["text"]: (round(float(x), 3), round(float(y), 3))
        for memory, (x, y) in zip(memories, shown.layout.positions, strict=True)
    }


def test_an_empty_store_has_nothing_to_map_and_says_how_to_fill_it(open_page: Open, fill: Fill):
    fill([])
    page = open_page("map")
    assert "Nothing is remembered yet" in texts(page)
    assert chart_of(page) is None


def test_an_empty_scope_has_nothing_to_map(open_page: Open, fill: Fill):
    fill(FEW)
    assert "Nothing to map here" in texts(open_page("map", ns='["nobody"]'))


def test_memories_without_vectors_have_no_place_and_the_page_says_why(open_page: Open, fill: Fill):
    fill(FEW, index=None)
    page = open_page("map")
    assert "No vectors to map" in texts(page)
    assert chart_of(page) is None


def test_a_few_memories_are_drawn_with_a_word_on_how_to_read_them(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    assert not page.exception
    assert chart_of(page) is not None
    assert "Distance on a flat map is not similarity" in texts(page).replace("\\", "")
    assert "so few different memories" in texts(page)


def test_a_single_memory_is_drawn(open_page: Open, fill: Fill):
    fill(FEW[:1])
    assert chart_of(settled(open_page("map"))) is not None


def test_a_scope_maps_only_what_is_in_it(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map", ns='["users","mira"]'))
    assert "Map of 3 memories" in str(chart_of(page).proto)


def test_the_link_restores_colour_and_query(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map", colour="created", q="What does Mira drink?"))
    assert page.selectbox(key="map-colour").value == "created"
    assert page.text_input(key="map-query").value == "What does Mira drink?"
    assert "Query: What does Mira drink?" in chart_of(page).proto.spec


def test_a_query_colours_by_its_score_unless_another_colour_was_chosen(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    page.text_input(key="map-query").set_value("tea").run()
    assert page.selectbox(key="map-colour").value == "score"
    page.selectbox(key="map-colour").set_value("level-2").run()
    assert page.selectbox(key="map-colour").value == "level-2"


def test_chosen_memories_are_listed_and_can_be_cleared(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    page.session_state["map-chosen"] = Chosen((), (FEW[0].reference, FEW[3].reference))
    page.run()
    assert "2 memories chosen" in texts(page)
    assert set(page.dataframe[0].value["Key"]) == {"p1", "t1"}
    page.button(key="map-clear").click().run()
    assert not page.dataframe


def test_a_whole_group_of_the_legend_can_be_chosen(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map", colour="level-2"))
    options = page.selectbox(key="map-group").options
    assert "mira (3)" in options
    page.selectbox(key="map-group").select_index(options.index("mira (3)")).run()
    assert "3 memories chosen" in texts(page)
    assert set(page.dataframe[0].value["Key"]) == {"p1", "p2", "m1"}


def test_deleting_the_chosen_removes_them_from_store_table_and_map(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    page.session_state["map-chosen"] = Chosen((), (FEW[0].reference, FEW[3].reference))
    page.run()
    page.button(key="map-delete").click().run()
    page.button(key="confirm-delete").click().run()
    page = settled(page)
    assert resources.store().read(*FEW[0].reference) is None
    assert resources.store().read(*FEW[1].reference) is not None
    assert not page.dataframe
    assert "Map of 3 memories" in str(chart_of(page).proto)


def test_the_chosen_move_to_another_namespace_and_stay_where_they_are(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    before = places(page)
    page.session_state["map-chosen"] = Chosen((), (FEW[0].reference, FEW[3].reference))
    page.run()
    page.button(key="map-move").click().run()
    page.text_input(key="bulk-target").set_value("archive").run()
    assert "users / tomas → archive / tomas · t1" in texts(page)
    page.button(key="bulk-go").click().run()
    page = settled(page)
    assert resources.store().read(*FEW[3].reference) is None
    assert resources.store().read(("archive", "tomas"), "t1").value == FEW[3].value
    assert places(page) == before


def test_what_is_ticked_below_the_map_is_acted_on_alone(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map"))
    page.session_state["map-chosen"] = Chosen((), (FEW[0].reference, FEW[3].reference))
    page.run()
    second = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page.session_state[page.dataframe[0].key] = second
    page.run()
    assert "1 memory ticked" in texts(page)
    page.button(key="map-delete").click().run()
    page.button(key="confirm-delete").click().run()
    assert resources.store().read(*FEW[0].reference) is not None
    assert resources.store().read(*FEW[3].reference) is None


def test_a_memory_deleted_elsewhere_leaves_the_map_at_the_next_run(
    open_page: Open, fill: Fill, store
):
    fill(FEW)
    page = settled(open_page("map"))
    opened: ChromaStore = store()
    opened.delete(*FEW[0].reference)
    page.run()
    assert "Map of 4 memories" in str(chart_of(page).proto)
    at_once = chart_of(page).proto.id
    assert chart_of(settled(page)).proto.id == at_once


def test_tags_in_memories_and_labels_are_shown_and_not_obeyed(open_page: Open, fill: Fill):
    nasty = '<a href="javascript:alert(1)">x</a>'
    fill([memory((nasty,), "a", nasty), memory(("b",), "b", "plain")])
    page = settled(open_page("map"))
    spec = chart_of(page).proto.spec
    assert "&lt;a href" in spec.replace("\\u0026", "&")
    assert "<a href" not in spec.replace("\\u003c", "<")


def test_an_open_memory_stands_beside_the_map(open_page: Open, fill: Fill):
    fill(FEW)
    page = settled(open_page("map", key="t1", **{"in": '["users","tomas"]'}))
    assert "radios" in texts(page)
    assert chart_of(page) is not None
