"""Browse: walk through the namespaces, read, correct and delete memories."""

import streamlit as st

st.title("Browse")
