# Set-up is done when it is missing or pyproject.toml changed; .venv/.demo and .venv/.test say so.

.DEFAULT_GOAL := help
.PHONY: help demo test integration oldest peer format clean

help:
	@echo "make demo    install into .venv if needed, fill demo-store if empty, open the dashboard"
	@echo "make test    formatting, lint, types and tests, with their own set-up"
	@echo "make integration  drive the store through LangGraph, LangMem, Deep Agents and a server"
	@echo "make oldest  try the store and the dashboard on Python 3.11, the oldest that will do"
	@echo "make peer    run LangGraph's own store tests against this store (downloads them)"
	@echo "make format  format the code and fix what the linter can"
	@echo "make clean   remove .venv and what tools left behind; stores stay"

demo: .venv/.demo
	@.venv/bin/memlens demo

test: .venv/.test
	@bash .ci/setup browser
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/pytest

integration: .venv-langgraph/.done
	.venv-langgraph/bin/python -m pytest -p no:asyncio tests/integration

oldest: .venv-oldest/.done
	.venv-oldest/bin/python -m pytest tests/test_public_api.py tests/store/test_cases.py \
	    tests/store/test_inspection.py tests/store/test_transfer.py tests/dashboard/test_app.py \
	    tests/dashboard/test_curation.py tests/dashboard/test_map_page.py tests/dashboard/test_cli.py

peer: .venv-langgraph/.done
	@.venv-langgraph/bin/python -m tests.peer.run

format: .venv/.test
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

clean:
	rm -rf .venv .venv-langgraph .venv-oldest .peer .mypy_cache .pytest_cache .ruff_cache .hypothesis build test-artifacts *.egg-info

.venv/.demo: pyproject.toml
	@bash .ci/setup python .

.venv/.test: pyproject.toml
	@bash .ci/setup python '.[test]'

.venv-oldest/.done: pyproject.toml
	@bash .ci/setup oldest

.venv-langgraph/.done: .venv/.test
	@bash .ci/setup langgraph
