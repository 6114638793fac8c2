"""Shared by studies that fine-tune an encoder in several ways: layers and random_init."""
