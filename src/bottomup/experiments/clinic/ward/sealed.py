"""Chapter 11: which bed holds which disease, so that it is not read by chance.

A digest of bed and disease stands here for the disease. Trying all of them is easy; this keeps the
answer out of sight, not out of reach.
"""

from hashlib import sha256

from bottomup.experiments.clinic.diseases import HEALTHY, PIPELINES

TWIN = "twin"
SEALS = {
    "bed_1": "0a0d3db282f5",
    "bed_2": "46178ea514b8",
    "bed_3": "bab7f96f936f",
    "bed_4": "c38a89840011",
    "bed_5": "326b056093f2",
    "bed_6": "7fdc6f37aba9",
    "bed_7": "6977ee1f1142",
    "bed_8": "37f020475698",
    "bed_9": "3f3571409479",
    "bed_10": "b9daf8b3c1e3",
    "bed_11": "c54ee30c7bcc",
    "bed_12": "ea70e30f0804",
    "bed_13": "a41386799d34",
    "bed_14": "9449cdfbc94c",
}


def seal(bed: str, disease: str) -> str:
    """Return what stands for the disease of a bed."""
    return sha256(f"{bed}: {disease}".encode()).hexdigest()[:12]


def disease_in(bed: str) -> str:
    """Return the disease of a bed, such as ``"bed_4"``; the twin has none."""
    if bed == TWIN:
        return HEALTHY
    (disease,) = (each for each in PIPELINES if seal(bed, each) == SEALS[bed])
    return disease
