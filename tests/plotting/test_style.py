import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.colors import to_rgba

from bottomup.plotting import COLORS, curves, use_style


def test_figures_stand_on_an_opaque_light_card():
    use_style()
    figure, ax = plt.subplots()
    for color in (figure.get_facecolor(), ax.get_facecolor(), mpl.rcParams["savefig.facecolor"]):
        red, green, blue, alpha = to_rgba(color)
        assert min(red, green, blue) > 0.95
        assert alpha == 1


def test_lines_take_the_colours_in_order():
    use_style()
    runs = {str(number): [[number, number + 1]] for number in range(3)}
    ax = curves([0, 1], runs, xlabel="x", ylabel="y")
    assert tuple(line.get_color() for line in ax.lines) == COLORS[:3]


def test_colours_differ_and_stand_out_from_the_card():
    assert len(set(COLORS)) == len(COLORS)
    for color in COLORS:
        red, green, blue, _ = to_rgba(color)
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 0.7
