"""Many systems on several collections: how far each is above or below the others on each collection."""

import rankscope as rs

drawn = {f"collection-{seed}": rs.simulation.simulate(n_topics=25, seed=seed) for seed in range(1, 6)}
collections = {name: rs.load(one.judgments, one.runs) for name, one in drawn.items()}
rs.across(collections, measure="nDCG@10").save_plot("collection_map.svg", "heat map")
