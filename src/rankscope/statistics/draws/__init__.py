"""Resampling: sign flips, bootstrap samples, exact sums, and an order of the data that draws do not depend on."""
