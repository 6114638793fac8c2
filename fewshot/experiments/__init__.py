"""Plans and the experiments that carry them out."""
