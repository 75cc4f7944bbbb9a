"""What many properties draw."""

from hypothesis import strategies as st

sizes = st.integers(min_value=1, max_value=7)
seeds = st.integers(min_value=0, max_value=2**31)
