"""Shared by studies that pretrain and probe small encoders of their own: bilingual and monolingual."""
