"""What the commands do between parsing and printing; one file a command."""
