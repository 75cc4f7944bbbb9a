"""The ward of chapter 11: beds that can be asked, and diagnoses that need evidence.

``diagnose("bed 4", "mask after softmax", evidence=["row sums"])`` stands beside `check`: it asks
for readings that exclude all else, and knows no list of answers.
"""

from bottomup.exercises.ward.beds import WORDS, Bed, bed, twin
from bottomup.exercises.ward.diagnosis import Diagnosis, diagnose

__all__ = ["WORDS", "Bed", "Diagnosis", "bed", "diagnose", "twin"]
