"""What all drawings share: a canvas of boxes, arrows, grids and words, and the figure around it."""
