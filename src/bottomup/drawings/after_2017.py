"""Drawings of chapter 10."""
