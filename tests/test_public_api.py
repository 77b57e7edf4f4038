"""What the store makes public: everything callers need, in order, nothing by accident."""

import inspect
from types import ModuleType

import store
from store import errors, memory


def defined_in(module: ModuleType) -> set[str]:
    return {
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    }


def test_public_names_are_sorted_and_named_once() -> None:
    assert list(store.__all__) == sorted(set(store.__all__))


def test_public_names_exist() -> None:
    assert [name for name in store.__all__ if not hasattr(store, name)] == []


def test_everything_imported_into_the_package_is_public() -> None:
    imported = {
        name
        for name, thing in vars(store).items()
        if not name.startswith("_") and not isinstance(thing, ModuleType)
    }
    assert imported - set(store.__all__) == set()


def test_every_error_is_public() -> None:
    assert defined_in(errors) <= set(store.__all__)


def test_every_kind_of_value_is_public() -> None:
    kinds = {name for name in defined_in(memory) if isinstance(getattr(memory, name), type)}
    assert kinds | {"Namespace", "Order", "Reference"} <= set(store.__all__)


def test_every_error_is_a_store_error_and_a_builtin_error() -> None:
    for name in defined_in(errors) - {"StoreError"}:
        bases = getattr(errors, name).__mro__
        assert errors.StoreError in bases
        assert any(base.__module__ == "builtins" and base is not Exception for base in bases[1:-3])


def test_everything_public_says_what_it_is() -> None:
    for name in store.__all__:
        thing = getattr(store, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_every_public_method_of_the_store_says_what_it_does() -> None:
    methods = inspect.getmembers(store.ChromaStore, inspect.isroutine)
    silent = [name for name, method in methods if name[0] != "_" and not inspect.getdoc(method)]
    assert silent == []
