"""Chapter 09: is the circuit found by removing edges?"""
