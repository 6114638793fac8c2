"""Gains from an encoder in languages that it has seen little of (Wu & Dredze 2020)."""
