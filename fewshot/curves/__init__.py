"""Learning curves: results on disk, points with intervals, plots."""
