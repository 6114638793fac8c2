"""Plans, runs and their results."""
