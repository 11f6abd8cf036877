"""Two systems on several collections: each difference, the mean, and the interval for the next collection."""

import rankscope as rs

drawn = {f"collection-{seed}": rs.simulation.simulate(n_topics=25, seed=seed) for seed in range(1, 6)}
collections = {name: rs.load(one.judgments, one.runs) for name, one in drawn.items()}
rs.across(collections, "lexical-3", "hybrid-1", measure="nDCG@10").save_plot("forest.svg", "forest")
