"""What the papers printed: numbers in CSV files, each with its reader."""
