"""Agreement of two rankings of systems: Kendall's tau, tau_AP, rank-biased overlap, split halves."""
