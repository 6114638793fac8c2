"""Plans and the runs that carry them out."""
