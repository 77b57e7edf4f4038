"""Search."""

import streamlit as st

st.title("Search")
