"""What every experiment shares: claims, records, units, runs over seeds, the command line."""
