"""A small payload for the tests: two sentences, two scores, weights set by hand."""

from dataclasses import replace

from bottomup.explorables import AlignedSentence, LengthCurves, mask_painter, query_and_keys

CAT = AlignedSentence(
    source=["the", "cat", "ate", "two", "apples", "."],
    target=["고양이", "-는", "사과", "두", "-개", "-를", "먹", "-었", "-다", "."],
    romanised=["goyangi", "-neun", "sagwa", "du", "-gae", "-reul", "meok", "-eot", "-da", "."],
    glosses=["cat", "-TOP", "apple", "two", "-CL", "-OBJ", "eat", "-PAST", "-DECL", "."],
    links=[
        (0, 1, True), (1, 0, False), (1, 1, False), (2, 4, True), (3, 3, True), (4, 3, False),
        (5, 4, False), (6, 2, True), (7, 2, False), (8, 2, False),
    ],
    weights={
        "dot": [
            [0.1, 0.8, 0.1, 0, 0, 0], [0.2, 0.6, 0.2, 0, 0, 0], [0, 0, 0.1, 0.2, 0.7, 0],
            [0, 0, 0, 0.9, 0.1, 0], [0, 0, 0, 0.5, 0.5, 0], [0, 0, 0.1, 0, 0.6, 0.3],
            [0, 0, 0.75, 0.123456, 0, 0.1], [0, 0, 0.1, 0, 0, 0.6], [0, 0, 0, 0, 0, 0.4],
            [0, 0, 0, 0, 0, 0.3],
        ],
        "bahdanau": [
            [0, 0.95, 0.05, 0, 0, 0], [0.1, 0.8, 0.1, 0, 0, 0], [0, 0, 0, 0.05, 0.95, 0],
            [0, 0, 0, 1, 0, 0], [0, 0, 0, 0.7, 0.3, 0], [0, 0, 0, 0.2, 0.8, 0],
            [0, 0, 0.95, 0, 0.05, 0], [0, 0, 0.9, 0, 0, 0.1], [0, 0, 0.5, 0, 0, 0.4],
            [0, 0, 0, 0, 0, 0.9],
        ],
    },
)  # fmt: skip

LETTER = AlignedSentence(
    source=["the", "letter", "is", "short", "."],
    target=["편지", "-는", "짧", "-다", "."],
    romanised=["pyeonji", "-neun", "jjap", "-da", "."],
    glosses=["letter", "-TOP", "short", "-DECL", "."],
    links=[(0, 1, True), (1, 0, False), (2, 3, True)],
    weights={
        "dot": [[0.2] * 5] * 5,
        "bahdanau": [
            [0, 0.9, 0.1, 0, 0], [0.5, 0.5, 0, 0, 0], [0, 0, 0.2, 0.8, 0], [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1],
        ],
    },
)  # fmt: skip

CURVES = LengthCurves(
    bins=[(4, 4), (5, 5), (6, 6), (7, 8), (9, 10), (11, 12)],
    accuracy={
        "dot": [[0.9, 0.88, 0.86, 0.8, 0.7, 0.5], [0.88, 0.84, 0.84, 0.78, 0.66, 0.44]],
        "bahdanau": [[0.95, 0.95, 0.94, 0.9, 0.85, 0.6], [0.93, 0.93, 0.9, 0.9, 0.81, 0.5]],
    },
    fixed_vector=[[0.85, 0.7, 0.55, 0.4, 0.2, 0.05], [0.8, 0.66, 0.5, 0.3, 0.14, 0.01]],
    measure="exact match",
    longest_trained=10,
)

# A word that would be read as HTML, and one that would end a script, if they were not escaped.
HOSTILE = replace(
    LETTER,
    source=[
        "<img src=x onerror=window.hit=1>",
        "</script><script>window.hit=1</script>",
        "{word}",
        "{words}",
        "<",
    ],
    glosses=["<b>bold</b>", "</div>", "<!--", "'\"", "\u2028"],
)


# The key of "street" is long, the key of "animal" points where the query points, "tired" stands
# beyond a right angle, "crossed" is opposite.
QUERY = query_and_keys(
    "it",
    [1.6, 1.2],
    {
        "animal": [1, 0.9],
        "street": [2.6, 0.2],
        "was": [-0.6, 1.4],
        "tired": [0.8, -1.4],
        "crossed": [-1.6, -1.3],
    },
)

# Six words that all differ; the pronoun scores the cat highest.
MASK = mask_painter(
    ["the", "cat", "saw", "it", "and", "ran"],
    [
        [0.6, 1.4, 0.1, -0.3, -0.5, 0.2],
        [1.1, 0.4, 0.9, 0.2, -0.8, 0.7],
        [-0.2, 1.6, 0.3, 1.2, -0.4, 0.1],
        [0.1, 2.1, 0.8, 0.2, -0.6, 0.3],
        [-0.4, 0.2, 1.1, 0.1, 0.5, 1.3],
        [-0.7, 1.9, 0.6, 0.4, 0.8, 0.3],
    ],
)
