"""Doors to other packages, one file each. Nothing in rankscope imports them, and entry points load them lazily."""
