"""Bills: what annotation and computing cost, and how long it takes. The price of a task stands in its own file."""
