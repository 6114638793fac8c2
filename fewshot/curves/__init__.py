"""Learning curves: points with intervals, and their plots."""
