"""Long-term memory for LangGraph agents, kept in Chroma, and what people's tools need of it."""

from store.checking import check_at, repair_at
from store.chroma import ChromaStore
from store.compaction import CompactReport, compact
from store.conformance import verify
from store.errors import (
    EmbedderMismatch,
    EmbeddingError,
    InvalidFilter,
    InvalidOperation,
    InvalidValue,
    NotAStore,
    SearchUnavailable,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreNotFound,
    StoreUnreachable,
    TransferError,
    WriteFailed,
)
from store.filters import passes
from store.maintenance import CheckReport, Problem, ProblemKind, RepairReport, check, repair
from store.memory import (
    Entry,
    Match,
    Memory,
    Namespace,
    Order,
    Page,
    Reference,
    StoreInfo,
    VectorTable,
)
from store.reindexing import ReindexReport, reindex
from store.server import ChromaServer
from store.transfer import ImportFile, ImportReport, Survey, export_to

__all__ = [
    "CheckReport",
    "ChromaServer",
    "ChromaStore",
    "CompactReport",
    "EmbedderMismatch",
    "EmbeddingError",
    "Entry",
    "ImportFile",
    "ImportReport",
    "InvalidFilter",
    "InvalidOperation",
    "InvalidValue",
    "Match",
    "Memory",
    "Namespace",
    "NotAStore",
    "Order",
    "Page",
    "Problem",
    "ProblemKind",
    "Reference",
    "ReindexReport",
    "RepairReport",
    "SearchUnavailable",
    "StoreClosed",
    "StoreDamaged",
    "StoreError",
    "StoreInfo",
    "StoreLocked",
    "StoreNotFound",
    "StoreUnreachable",
    "Survey",
    "TransferError",
    "VectorTable",
    "WriteFailed",
    "check",
    "check_at",
    "compact",
    "export_to",
    "passes",
    "reindex",
    "repair",
    "repair_at",
    "verify",
]
