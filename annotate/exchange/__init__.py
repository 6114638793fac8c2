"""What goes into a project and out of it."""
