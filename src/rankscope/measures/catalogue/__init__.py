"""The measures: one file with a kernel and a record for each family of measures."""
