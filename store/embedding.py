"""Finding the embedder that a configuration or a stored record names."""

import functools
import importlib
import os
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from langchain_core.embeddings import Embeddings

from store.embedder import Embedder, FunctionEmbeddings
from store.errors import EmbedderMismatch, InvalidOperation

__all__ = ["Embedder", "resolve", "resolve_recorded"]

_FORMS = (
    "give an Embeddings object, a function, or a name such as 'local:minilm' or "
    "'openai:text-embedding-3-small'"
)

_SECRET = re.compile("key|token|secret|password|credential", re.IGNORECASE)


def resolve(embed: object, *, dims: int | None = None, allow_import: bool = False) -> Embedder:
    """Give the embedder that `embed` names.

    `embed` is an Embeddings object, a function from texts to vectors (sync or async), or
    ``provider:model[?dimensions=512&base_url=…]`` split on the first colon. The provider is
    ``local``, ``openai``, or one that LangChain knows. `allow_import` also takes ``module:attr``:
    that runs code, so it is for a person's own configuration alone.

    `dims` is the size the caller counts on. What `embed` names is used or refused, never replaced.

    Raises:
        InvalidOperation: `embed` is missing or names nothing usable; it is a ValueError.
        EmbedderMismatch: The embedder is known to make vectors of another size than `dims`.
    """
    if embed is None or embed == "":
        raise InvalidOperation(f"The index has no 'embed'; {_FORMS}.")
    if isinstance(embed, Embedder):
        return _with_dims(embed, dims)
    if isinstance(embed, str):
        return _with_dims(_named(embed, dims, allow_import), dims)
    return Embedder(_as_embeddings(embed), fingerprint=_fingerprint(embed), dims=dims)


def resolve_recorded(spec: str, *, dims: int | None = None) -> Embedder:
    """Give the embedder that a stored record names; only ``local:`` and ``openai:`` are taken.

    Whoever can write the record could otherwise choose what code runs here, or which server gets
    this process's API key and texts. So nothing else is resolved, and a recorded `base_url` is
    honoured only when the environment variable OPENAI_BASE_URL of this process says the same.
    """
    provider, _, _ = spec.partition(":")
    if provider not in ("local", "openai"):
        raise InvalidOperation(
            f"The store records the embedder {spec!r}, and only local: and openai: ones are taken "
            "from a record; give it as index={'embed': …} when opening the store."
        )
    base_url = _split(spec)[2].get("base_url")
    if base_url and _same_place(base_url) != _same_place(os.environ.get("OPENAI_BASE_URL", "")):
        raise InvalidOperation(
            f"The store records the embeddings server {_shown(base_url)}, which this process was "
            "not told to trust; set OPENAI_BASE_URL to that address, or give the embedder when "
            "opening the store."
        )
    return resolve(spec, dims=dims)


def _named(spec: str, dims: int | None, allow_import: bool) -> Embedder:
    provider, model, options = _split(spec)
    if provider == "local":
        return _local(model, options)
    if provider == "openai":
        from store.openai_api import OpenAIEmbeddings  # here, so that other embedders do without

        client = OpenAIEmbeddings.from_options(model, options)
        return Embedder(client, spec=spec, fingerprint=client.fingerprint, dims=client.dimensions)
    found = _from_langchain(provider, model, options)
    if found is not None:
        return Embedder(found, spec=spec, fingerprint=spec, dims=dims)
    if allow_import:
        return resolve(_imported(spec, provider, model), dims=dims)
    raise InvalidOperation(
        f"{spec!r} names no embedder this installation knows: {_FORMS}, or install "
        "memlens[langchain] for the providers of LangChain."
    )


def _split(spec: str) -> tuple[str, str, dict[str, str]]:
    """Give provider, model and options; no message repeats an option, which may be a secret."""
    provider, colon, rest = spec.partition(":")
    model, _, query = rest.partition("?")
    if not (colon and provider and model):
        raise InvalidOperation(f"{spec.partition('?')[0]!r} is not 'provider:model'; {_FORMS}.")
    try:
        options = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as exc:
        raise InvalidOperation(
            f"The options of {provider}:{model} must read 'name=value&name=value'."
        ) from exc
    if len(dict(options)) != len(options):
        raise InvalidOperation(f"The options of {provider}:{model} name one of them twice.")
    secrets = [name for name, _ in options if _SECRET.search(name)]
    if secrets:
        raise InvalidOperation(
            f"{provider}:{model} takes no {', '.join(secrets)}, as the name of an embedder is "
            "written into the store; set it in the environment."
        )
    return provider, model, dict(options)


def _local(model: str, options: dict[str, str]) -> Embedder:
    if options:
        raise InvalidOperation(f"local:{model} takes no options, got {', '.join(options)}.")
    if model == "minilm":
        from store import minilm

        return Embedder(
            minilm.MiniLM(), spec="local:minilm", fingerprint=minilm.SHA256, dims=minilm.DIMS
        )
    if model == "multilingual":
        from store import multilingual

        return Embedder(
            multilingual.Multilingual(),
            spec="local:multilingual",
            fingerprint=multilingual.FINGERPRINT,
            dims=multilingual.DIMS,
        )
    raise InvalidOperation(
        f"There is no local embedder {model!r}: the local ones are local:minilm and "
        "local:multilingual."
    )


def _from_langchain(provider: str, model: str, options: dict[str, str]) -> Embeddings | None:
    """Give LangChain's embedder for a provider it knows, None for any other word."""
    try:
        langchain = importlib.import_module("langchain.embeddings")
    except ImportError:
        return None
    keywords: dict[str, Any] = {
        name: int(value) if value.isdecimal() else value for name, value in options.items()
    }
    try:
        found: Embeddings = langchain.init_embeddings(model, provider=provider, **keywords)
    except ImportError as exc:
        raise InvalidOperation(
            f"The embedder {provider}:{model} needs a package that is not installed: {exc}"
        ) from exc
    except ValueError as exc:
        if f"Provider '{provider}' is not supported" in str(exc):
            return None
        raise InvalidOperation(f"{provider}:{model} cannot be set up: {exc}") from exc
    return found


def _imported(spec: str, module: str, attribute: str) -> object:
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as exc:
        raise InvalidOperation(f"The embedder {spec!r} cannot be imported: {exc}.") from exc
    if isinstance(found, str):
        raise InvalidOperation(f"{spec!r} is text; it must be an Embeddings object or a function.")
    return found


def _as_embeddings(embed: object) -> Embeddings:
    if isinstance(embed, Embeddings):
        return embed
    if isinstance(embed, type) or not callable(embed):
        kind = f"the class {embed.__name__}" if isinstance(embed, type) else repr(embed)
        raise InvalidOperation(f"embed cannot be {kind}: {_FORMS}.")
    return FunctionEmbeddings(embed)


def _fingerprint(embed: object) -> str:
    """Name the function, or the class and the model that an object says it uses."""
    while isinstance(embed, functools.partial):
        embed = embed.func
    named: Callable[..., Any] | type = (
        embed if callable(embed) and hasattr(embed, "__qualname__") else type(embed)
    )
    name = f"{named.__module__}.{named.__qualname__}"
    models = (getattr(embed, attribute, None) for attribute in ("model", "model_name"))
    model = next((model for model in models if isinstance(model, str)), None)
    return f"{name}:{model}" if model else name


def _with_dims(embedder: Embedder, dims: int | None) -> Embedder:
    if dims is not None and embedder.dims not in (None, dims):
        raise EmbedderMismatch(
            f"The embedder {embedder.name} makes vectors of {embedder.dims} numbers, and the index "
            f"says dims={dims}; leave dims out or give {embedder.dims}."
        )
    embedder.dims = embedder.dims or dims
    return embedder


def _same_place(url: str) -> str:
    return url.rstrip("/")


def _shown(url: str) -> str:
    """Give the address without a name and password, should there be any."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
