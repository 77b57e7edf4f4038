"""The errors this package raises, each also a builtin a caller would expect.

StoreError
├── InvalidOperation (ValueError)       a batch holds something the contract refuses
│   ├── InvalidValue (TypeError)        a value that JSON cannot hold
│   └── InvalidFilter                   a filter with an unknown operator or shape
├── EmbeddingError (RuntimeError)       the embedder failed or gave something unusable
├── EmbedderMismatch (ValueError)       the stored vectors were made by another embedder
├── SearchUnavailable (RuntimeError)    a search by meaning on a store that cannot do it now
├── StoreNotFound (FileNotFoundError)   nothing is stored at that place
├── NotAStore (ValueError)              the place holds something that is not a store of ours
├── StoreLocked (BlockingIOError)       another process or object holds the folder
├── StoreClosed (RuntimeError)          used after close
├── StoreDamaged (RuntimeError)         what is on disk cannot be read as it is
├── StoreUnreachable (ConnectionError)  the server does not answer
├── WriteFailed (OSError)               the disk or the server refused a write
└── TransferError (ValueError)          an import file holds a line that cannot be stored

A namespace that breaks a rule raises langgraph's own InvalidNamespaceError, a ValueError.
"""


class StoreError(Exception):
    """Root of every error this package raises on purpose."""


class InvalidOperation(StoreError, ValueError):
    """An operation breaks a rule of the contract; nothing of its batch was applied."""


class InvalidValue(InvalidOperation, TypeError):
    """A value holds something JSON cannot; the message names the path inside the value."""


class InvalidFilter(InvalidOperation):
    """A filter has an unknown operator or a wrong shape."""


class EmbeddingError(StoreError, RuntimeError):
    """The embedder failed, or returned the wrong number, size or kind of vectors."""


class EmbedderMismatch(StoreError, ValueError):
    """The stored vectors were made by another embedder, or have another size."""


class SearchUnavailable(StoreError, RuntimeError):
    """Search by meaning is off for this store; the message says why and what to do."""


class StoreNotFound(StoreError, FileNotFoundError):
    """Nothing is stored at the given place, and nothing was created there."""


class NotAStore(StoreError, ValueError):
    """The place holds something that is not a store of ours."""


class StoreLocked(StoreError, BlockingIOError):
    """The folder is open elsewhere; the message names the holder and the way out."""


class StoreClosed(StoreError, RuntimeError):
    """The store was used after it had been closed."""


class StoreDamaged(StoreError, RuntimeError):
    """What is on disk cannot be read as it is; the message says how to repair it."""


class StoreUnreachable(StoreError, ConnectionError):
    """The server does not answer, or stopped answering."""


class WriteFailed(StoreError, OSError):
    """The disk or the server refused a write."""


class TransferError(StoreError, ValueError):
    """An import file holds a line that cannot be stored; the message names the line."""
