"""Treebanks of Universal Dependencies: list, download and cache."""
