"""The order of all rankings that every metric respects: separable pairs, their counts, and where metrics are free."""
