"""Exercises for a class: handed out without solutions, marked, and what the class got wrong.

``python -m bottomup.classroom hand-out layer-norm residual-wiring --to handed_out``, then
``mark handed_in --of handed_out`` and ``report handed_in --of handed_out``.
"""
