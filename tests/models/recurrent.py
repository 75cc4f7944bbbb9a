"""Small recurrent translators, and pairs for them."""

from bottomup.models import RNNSeq2Seq, Seq2SeqConfig
from tests.drawn import global_seed

SOURCE, TARGET, D_STATE = 17, 19, 6
# the second target is longer than its source by more than a window's half width of 1
PAIRS = [([5, 6, 7, 8, 9], [4, 5, 6]), ([10, 11], [7, 8, 9, 10, 11]), ([12, 13, 14], [12])]


def translator(attention="dot", span="global", input_feeding=False, *, kind=RNNSeq2Seq, **options):
    sizes = {"source_vocabulary": SOURCE, "target_vocabulary": TARGET, "d_state": D_STATE}
    chosen = {"attention": attention, "span": span, "input_feeding": input_feeding}
    options = {"d_embedding": 5, "half_width": 1, **options}
    with global_seed(3):
        return kind(Seq2SeqConfig(**sizes, **chosen, **options)).double()
