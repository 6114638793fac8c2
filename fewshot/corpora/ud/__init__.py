"""Treebanks of Universal Dependencies: which there are, how they are downloaded, what is in the cache."""
