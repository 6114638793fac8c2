"""What analyses compute with: similarity, correlation, regression, probes, leads."""
