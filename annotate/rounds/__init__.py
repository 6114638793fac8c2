"""Rounds of annotation: draws, training data, learning curves and effort."""
