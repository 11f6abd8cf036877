"""What is legal but odd in judgments and runs, and what it would change, before any number is believed."""

from rankscope.validation.checks import validate
from rankscope.validation.findings import Finding, Findings

__all__ = ["Finding", "Findings", "validate"]
