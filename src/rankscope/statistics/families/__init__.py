"""Many systems on the same topics: families of comparisons with one error rate, corrections, groups."""
