"""Shared by the studies: their data, what they measure kept on disk, vectors of sentences."""
