"""Validation: findings about judgments and runs that are legal but odd, and what they change."""

from rankscope.validation.checks import validate
from rankscope.validation.findings import Finding, Findings

__all__ = ["Finding", "Findings", "validate"]
