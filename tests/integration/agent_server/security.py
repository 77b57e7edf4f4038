"""Everyone may enter by name; a guest finds only what is public."""

from typing import Any

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> str:
    return headers.get(b"x-name", b"owner").decode()


@auth.on.store.search
async def limit_search(ctx: Auth.types.AuthContext, value: Any) -> dict[str, Any] | None:
    return {"public": True} if ctx.user.identity == "guest" else None
