"""Benchmarks: the store and the map beside their peers."""
