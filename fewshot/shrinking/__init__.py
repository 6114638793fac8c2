"""A small encoder out of a large one: fewer layers, fewer pieces, fewer bits, and training to make up for it."""
