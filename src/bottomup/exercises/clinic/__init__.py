"""Chapter 11's ward: beds that can be asked, and diagnoses that need evidence.

``diagnose("bed 4", "mask after softmax", evidence=["row sums"])`` is this chapter's `check`.
"""

from bottomup.exercises.clinic.beds import WORDS, Bed, bed, twin
from bottomup.exercises.clinic.diagnosis import Diagnosis, diagnose

__all__ = ["WORDS", "Bed", "Diagnosis", "bed", "diagnose", "twin"]
