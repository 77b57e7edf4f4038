"""What a person does on the Browse page, for its tests."""

from streamlit.testing.v1 import AppTest

from dashboard.widgets.editor import TEXT_KEY

LINK = {"ns": '["users","mira","profile"]', "key": "p1"}


def table(page: AppTest):
    [shown] = [one for one in page.dataframe if (one.key or "").startswith("browse-")]
    return shown


def tick(page: AppTest, *rows: int) -> AppTest:
    state = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    page.session_state[table(page).key] = state
    return page.run()


def edit(page: AppTest, text: str) -> AppTest:
    page.button(key="inspector-edit").click().run()
    page.button(key="editor-side").click().run()
    [area] = [one for one in page.text_area if one.key.startswith(TEXT_KEY)]
    area.set_value(text)
    return page.button(key="editor-review").click().run()


def field(page: AppTest, label: str):
    inputs = [*page.text_input, *page.text_area, *page.number_input, *page.toggle]
    return next(
        one for one in inputs if one.label.split(" :gray")[0] == label and "editor" in one.key
    )


def more(page: AppTest, wish: str) -> AppTest:
    page.menu_button(key="inspector-more").click(wish).run()
    return page
