"""A measure in words: formula, references, what other tools compute under its name, and why two numbers differ."""
