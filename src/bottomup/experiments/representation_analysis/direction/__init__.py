"""Chapter 08: objective or direction?"""
