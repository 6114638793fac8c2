"""Executors, which carry out runs in this process, in several processes, or on a Ray cluster."""
