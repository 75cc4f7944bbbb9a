"""How words become phrases and clauses in both languages."""
