"""What the papers printed, and what is known of languages: numbers in CSV files, each with its reader."""
