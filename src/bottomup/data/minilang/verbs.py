"""The English verbs and their inflection: base, third person, past, -ing (one verb a line)."""

from typing import NamedTuple

_TABLE = """
arrive arrives arrived arriving
bark barks barked barking
become becomes became becoming
build builds built building
buy buys bought buying
catch catches caught catching
clean cleans cleaned cleaning
close closes closed closing
come comes came coming
cook cooks cooked cooking
cross crosses crossed crossing
cry cries cried crying
cut cuts cut cutting
dance dances danced dancing
draw draws drew drawing
drink drinks drank drinking
drive drives drove driving
eat eats ate eating
find finds found finding
fix fixes fixed fixing
fly flies flew flying
give gives gave giving
go goes went going
have has had having
help helps helped helping
kick kicks kicked kicking
know knows knew knowing
laugh laughs laughed laughing
learn learns learned learning
leave leaves left leaving
like likes liked liking
listen listens listened listening
live lives lived living
lose loses lost losing
love loves loved loving
make makes made making
meet meets met meeting
need needs needed needing
open opens opened opening
plant plants planted planting
play plays played playing
raise raises raised raising
read reads read reading
rest rests rested resting
ride rides rode riding
run runs ran running
sell sells sold selling
send sends sent sending
show shows showed showing
sing sings sang singing
sit sits sat sitting
sleep sleeps slept sleeping
speak speaks spoke speaking
study studies studied studying
swim swims swam swimming
take takes took taking
teach teaches taught teaching
throw throws threw throwing
visit visits visited visiting
wait waits waited waiting
walk walks walked walking
wash washes washed washing
watch watches watched watching
wear wears wore wearing
work works worked working
write writes wrote writing
"""


class Verb(NamedTuple):
    """The four forms of an English verb."""

    base: str
    third: str
    past: str
    ing: str


VERBS = {line.split()[0]: Verb(*line.split()) for line in _TABLE.split("\n") if line}
