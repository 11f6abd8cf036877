"""One measure over all rankings: its scale, its properties, its ties."""
