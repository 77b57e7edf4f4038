"""Choosing when a memory expires: never, after a while, or at a date and time."""

from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard import state
from dashboard.curation import LIFETIMES, Expire, plan_expiry, plan_expiry_at
from dashboard.questions import Expiring
from dashboard.widgets.carrying import agreed, carry_out
from dashboard.widgets.guard import guarded
from dashboard.wording import age, escape_markdown
from store import Memory, StoreError

Way = Literal["never", "after", "at"]
Ending = float | datetime | None
"""Minutes from now, a moment, or never."""

_WAYS: dict[Way, str] = {"never": "Never", "after": "After a while", "at": "At a date and time"}
_SPANS = {name: minutes for name, minutes in LIFETIMES.items() if minutes is not None}
_REACH = (datetime(1970, 1, 1), datetime(9998, 12, 31))
READING = (
    "When an agent reads a memory that expires, LangGraph counts its time from then again, unless "
    "the agent's store is set up otherwise."
)


def zone() -> ZoneInfo:
    """Return the time zone of the person's browser."""
    return ZoneInfo(st.context.timezone or "UTC")


def local_time(moment: datetime) -> str:
    """Return a moment in the person's time zone, to the minute."""
    return f"{moment.astimezone(zone()):%Y-%m-%d %H:%M}"


def ending_input(key: str, label: str, *, ends: datetime | None, first: Way) -> Ending:
    """Draw the choice and return it; `ends` is the present expiry, `first` what is chosen first."""
    way = st.segmented_control(
        label,
        list(_WAYS),
        default=first,
        required=True,
        format_func=_WAYS.__getitem__,
        key=f"{key}-way",
    )
    if way == "after":
        span = st.selectbox("How long", list(_SPANS), index=2, key=f"{key}-span")
        minutes = _SPANS[span]
        _told(datetime.now(UTC) + timedelta(minutes=minutes))
        return minutes
    if way == "at":
        return _moment(key, ends)
    return None


def _moment(key: str, ends: datetime | None) -> datetime:
    noon = datetime.now(zone()).replace(hour=12) + timedelta(days=1)
    shown = (ends.astimezone(zone()) if ends else noon).replace(tzinfo=None)
    shown = shown.replace(minute=shown.minute if ends else 0, second=0, microsecond=0)
    chosen = st.datetime_input(
        f"Date and time :gray[{escape_markdown(zone().key)}]",
        shown,
        *_REACH,
        key=f"{key}-moment",
        format="YYYY-MM-DD",
        step=timedelta(minutes=5),
        required=True,
    )
    moment = (chosen or shown).replace(tzinfo=zone())
    kept = ends if ends is not None and chosen == shown else moment
    _told(kept)
    return kept


def _told(moment: datetime) -> None:
    if moment <= datetime.now(UTC):
        st.caption(":material/warning: This is past: choose a later time.")
        return
    place = escape_markdown(zone().key)
    st.caption(f"It expires on {local_time(moment)} ({place}), {age(moment)}.")


@st.dialog("Expiry", icon=":material/timer:", width="medium", on_dismiss=state.ask)
@guarded
def change_expiry(asked: Expiring) -> None:
    """Ask when a memory expires, and set that."""
    memory = asked.memory
    st.text(_now(memory))
    ends = memory.expires_at
    chosen = ending_input(
        "expiry", "It expires", ends=ends, first="after" if ends is None else "at"
    )
    st.caption(READING)
    if agreed("Set", "expiry-set", ":material/timer:"):
        try:
            carry_out(_plan(memory, chosen), memory.reference, "Expiry set.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


def _plan(memory: Memory, chosen: Ending) -> Expire:
    if isinstance(chosen, datetime):
        return plan_expiry_at(memory, chosen)
    return plan_expiry(memory, chosen)


def _now(memory: Memory) -> str:
    if memory.expires_at is None:
        return "This memory never expires now."
    place = zone().key
    verb = "expired" if memory.expires_at <= datetime.now(UTC) else "expires"
    moment = memory.expires_at
    return f"This memory {verb} on {local_time(moment)} ({place}), {age(moment)}."
