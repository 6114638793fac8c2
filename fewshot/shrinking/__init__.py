"""Make a small encoder of a large one: fewer layers, fewer pieces, fewer bits, and distillation."""
