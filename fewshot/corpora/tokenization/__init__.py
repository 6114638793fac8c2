"""Repair of tokenization: words, their annotation and their CoNLL-U lines."""
