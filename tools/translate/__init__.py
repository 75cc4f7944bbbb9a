"""The book in another language: messages, the pages made from them, and what they must keep."""
