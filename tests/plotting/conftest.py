from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def clean_figures() -> Iterator[None]:
    """Close a test's figures and put matplotlib's defaults back."""
    with mpl.rc_context():
        yield
    plt.close("all")
