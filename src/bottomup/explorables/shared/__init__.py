"""What all interactive figures share: the frame on a page, the bundler, checks of what they draw.

Its scripts and styles lie beside it. A figure imports what it needs, and what a script brings in
is the style beside it.
"""
