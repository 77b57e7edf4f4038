"""Overview: how much is remembered, where, how fresh, and what changed last."""

import streamlit as st

st.title("Overview")
