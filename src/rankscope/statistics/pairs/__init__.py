"""Two systems on the same topics: tests, intervals, effect sizes, equivalence, planning."""
