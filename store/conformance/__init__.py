"""A conformance suite for any LangGraph store: what a store must do, and whether one does it.

```python
from langgraph.store.memory import InMemoryStore
from store.conformance import verify

print(verify(InMemoryStore))
```
"""

from store.conformance.report import Check, Report, Status, compare
from store.conformance.run import verify
from store.conformance.subjects import Factory

__all__ = ["Check", "Factory", "Report", "Status", "compare", "verify"]
