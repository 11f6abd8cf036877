"""Two measures over all rankings: how often they disagree, and on which rankings."""
