"""What an author does with exercises: notebook cells from their texts, frames, messages."""
