"""What annotation and computing cost."""
