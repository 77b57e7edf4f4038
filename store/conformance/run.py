"""Running the suite: opens the stores, checks every rule through both halves, closes them."""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import uuid4

from langgraph.store.base import BaseStore

from store.conformance import filtering, listing, meaning, running, writing
from store.conformance.bench import Bench, Broken, Half, Rule
from store.conformance.report import Check, Report, Status
from store.conformance.subjects import Factory, Subject, Subjects, open_subjects

Sections = Mapping[str, tuple[Rule, ...]]
Progress = Callable[[Check], None]


def verify(
    target: BaseStore | Factory,
    *,
    name: str | None = None,
    halves: Sequence[Half] = ("sync", "async"),
    progress: Progress | None = None,
) -> Report:
    """Check a store against every rule of the contract and report on each.

    Give a factory where you can: the rules about embedding need a store with the suite's own
    embedder. A store is used as it is; only namespaces with a random root are written, and emptied
    again. Rules about what a store does not offer are "unsupported", never "fail".

    Call it from a thread without a running event loop. For a store that only works inside one loop
    (LangGraph's Async… stores), give a factory that returns an asynchronous context manager, and
    `halves=("async",)`.
    """
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        suite = _Suite(runner, tuple(halves), progress or (lambda check: None))
        subjects = open_subjects(target, stack, runner)
        checks = tuple(suite.checks(subjects))
        return Report(name or _name(target, subjects.plain.store), checks)


def _name(target: BaseStore | Factory, store: BaseStore) -> str:
    return target.__name__ if inspect.isclass(target) else type(store).__name__


def _gives_scores(bench: Bench) -> bool:
    try:
        bench.put("probe", "k", {"text": "tea"}, index=["text"])
        return bench.search("probe", query="tea")[0].score is not None
    except Exception:  # the rules will say what is wrong with it
        return False
    finally:
        bench.tidy()


@dataclass(frozen=True, slots=True)
class _Suite:
    """Checks every rule and tells each result as it comes."""

    runner: asyncio.Runner
    halves: tuple[Half, ...]
    progress: Progress

    def checks(self, subjects: Subjects) -> Iterator[Check]:
        """Check all sections, those about embedding on the indexed store."""
        for sections in (writing.SECTIONS, listing.SECTIONS, filtering.SECTIONS):
            yield from self._run(sections, subjects.plain)
        yield from self._meaning(subjects)
        yield from self._lifetimes(subjects.plain)
        yield from self._concurrency(subjects.plain)

    def _meaning(self, subjects: Subjects) -> Iterator[Check]:
        plain, indexed = subjects.plain, subjects.indexed
        has_index = self._has_index(plain)
        without = "needs a store without an index" if has_index else ""
        yield from self._run(meaning.PLAIN, plain, skip=without)
        missing = "" if indexed or has_index else subjects.refusal or "no index"
        yield from self._run(meaning.INDEXED, indexed or plain, missing=missing)
        own = "" if indexed else "needs a factory, to bring its own embedder"
        yield from self._run(meaning.WORDS, indexed or plain, missing=subjects.refusal, skip=own)

    def _lifetimes(self, plain: Subject) -> Iterator[Check]:
        if plain.store.supports_ttl:
            yield from self._run(running.TTL, plain)
        else:
            yield from self._run(running.NO_TTL, plain)
            yield from self._run(running.TTL, plain, missing="supports_ttl is False")

    def _concurrency(self, plain: Subject) -> Iterator[Check]:
        for half, sections in (("sync", running.SYNC), ("async", running.ASYNC)):
            asked = half in self.halves
            yield from self._run(
                sections,
                plain,
                only=half,
                skip="" if asked else f"the {half} half was not asked for",
            )

    def _has_index(self, subject: Subject) -> bool:
        """Tell whether a query gives scores; there is no other public way to know."""
        return any(_gives_scores(self._bench(subject, half)) for half in self.halves)

    def _bench(self, subject: Subject, half: Half) -> Bench:
        root = (f"conformance-{uuid4().hex}",)
        return Bench(subject.store, half, self.runner, root, subject.words)

    def _run(
        self,
        sections: Sections,
        subject: Subject,
        *,
        only: str | None = None,
        missing: str = "",
        skip: str = "",
    ) -> Iterator[Check]:
        for section, rules in sections.items():
            for rule in rules:
                name = (rule.__doc__ or rule.__name__).strip().rstrip(".")
                if missing or skip:
                    status: Status = "unsupported" if missing else "skip"
                    check = Check(section, name, status, missing or skip)
                else:
                    check = self._check(section, name, rule, subject, only)
                self.progress(check)
                yield check

    def _check(
        self, section: str, name: str, rule: Rule, subject: Subject, only: str | None
    ) -> Check:
        halves = [half for half in self.halves if only in (None, half)]
        results = [(half, *self._try(rule, subject, half)) for half in halves]
        for wanted in ("fail", "pass"):
            found = [(half, message) for half, status, message in results if status == wanted]
            if found:
                break
        else:
            return Check(section, name, "unsupported", results[0][2])
        half, message = found[0]
        kept = any(status == "pass" for _, status, _ in results)
        note = f" ({half} half only)" if wanted == "fail" and kept else ""
        return Check(
            section, name, "fail" if wanted == "fail" else "pass", f"{message}{note}".strip()
        )

    def _try(self, rule: Rule, subject: Subject, half: Half) -> tuple[Status, str]:
        bench = self._bench(subject, half)
        try:
            rule(bench)
        except NotImplementedError as exc:
            return "unsupported", " ".join(str(exc).split())
        except Broken as exc:
            return "fail", str(exc)
        except Exception as exc:  # whatever a foreign store raises is its result
            return "fail", f"raised {type(exc).__name__}: {exc}"
        finally:
            bench.tidy()
        return "pass", ""
