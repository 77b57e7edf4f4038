"""Memlens dashboard."""
