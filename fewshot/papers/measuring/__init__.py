"""Shared by the studies: what they measure, kept on disk."""
