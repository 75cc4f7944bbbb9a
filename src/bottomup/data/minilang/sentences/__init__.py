"""What is said: kinds of sentence, and the choices that fill them."""
