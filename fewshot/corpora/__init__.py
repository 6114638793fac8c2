"""Corpora: example types, readers and writers, pool and splits, treebanks and their download."""
