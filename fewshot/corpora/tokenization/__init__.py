"""Repair of tokenization: which words become which, and what becomes of their annotation and CoNLL-U lines."""
