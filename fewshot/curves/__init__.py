"""Results on disk, learning curves and their fits."""
