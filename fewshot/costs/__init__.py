"""What annotation and computing cost, and the report that sets it against the gain."""
