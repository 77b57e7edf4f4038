# Set-up is done when it is missing or pyproject.toml changed; .venv/.demo and .venv/.test say so.

.DEFAULT_GOAL := help
.PHONY: help demo test format clean

help:
	@echo "make demo    install into .venv if needed, fill demo-store if empty, open the dashboard"
	@echo "make test    formatting, lint, types and tests, with their own set-up"
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

format: .venv/.test
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build test-artifacts *.egg-info

.venv/.demo: pyproject.toml
	@bash .ci/setup python .

.venv/.test: pyproject.toml
	@bash .ci/setup python '.[test]'
