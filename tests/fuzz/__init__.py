"""A mutation fuzzer for everything that reads bytes: each text goes to the C loops and to a twin.

`python3 dev.py fuzz` runs it, `python3 dev.py sanitize` runs it on a core built with sanitizers.
"""
