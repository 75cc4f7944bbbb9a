"""Analysis: what a trained model's vectors hold."""

from bottomup.analysis.ablation import ablated
from bottomup.analysis.attribution import direct_attribution, written
from bottomup.analysis.canonical_correlation import (
    CCA,
    FewSamplesWarning,
    cca,
    mean_cca_distance,
)
from bottomup.analysis.centring import centred_by_type
from bottomup.analysis.changed_transformer import ChangedTransformer
from bottomup.analysis.circuits import (
    composition,
    copying_score,
    output_value,
    prefix_matching_score,
    previous_token_score,
    query_key,
    with_ones,
)
from bottomup.analysis.clustering import Clusters, kmeans
from bottomup.analysis.feature_geometry import (
    PHASES,
    antipodal_pairs,
    dimensions_per_feature,
    expected_phase,
    feature_dimensions,
    interference,
    is_pentagon,
    mean_max_cosine,
    random_mean_max_cosine,
    represented,
    two_feature_phase,
)
from bottomup.analysis.frozen_weights import frozen_weights
from bottomup.analysis.heads import HeadMaps, has_heads, head_maps
from bottomup.analysis.hidden_states import TokenStates, gather_states
from bottomup.analysis.influence import influence_by_group, token_influence
from bottomup.analysis.information_in_states import (
    AccessibleInformation,
    accessible_information,
    most_frequent,
)
from bottomup.analysis.journey import (
    Bearings,
    Journey,
    Station,
    Track,
    bearings,
    journey,
)
from bottomup.analysis.layer_report import (
    LayerReport,
    report_on_states,
    report_table,
    what_layers_hold,
)
from bottomup.analysis.linear_readout import (
    linear_readout_margin,
    margin_by_share,
    one_head_margin,
)
from bottomup.analysis.mutual_information import (
    HeldOutInformation,
    entropy,
    held_out_information,
    information_spread,
    plug_in_information,
    shuffled_information,
    split_by_sentence,
)
from bottomup.analysis.neighbours import (
    NeighbourShare,
    nearest_types,
    neighbour_position_distance,
    same_token_neighbours,
)
from bottomup.analysis.patching import kept, patched, patching_effect
from bottomup.analysis.plane import principal_plane
from bottomup.analysis.probes import ProbeResult, linear_probe
from bottomup.analysis.pwcca import pwcca_distance, shuffled_pwcca
from bottomup.analysis.reachability import reached, reached_share
from bottomup.analysis.svcca import svcca_distance
from bottomup.analysis.token_groups import change_by_group, frequency_groups

__all__ = [
    "CCA",
    "PHASES",
    "AccessibleInformation",
    "Bearings",
    "ChangedTransformer",
    "Clusters",
    "FewSamplesWarning",
    "HeadMaps",
    "HeldOutInformation",
    "Journey",
    "LayerReport",
    "NeighbourShare",
    "ProbeResult",
    "Station",
    "TokenStates",
    "Track",
    "ablated",
    "accessible_information",
    "antipodal_pairs",
    "bearings",
    "cca",
    "centred_by_type",
    "change_by_group",
    "composition",
    "copying_score",
    "dimensions_per_feature",
    "direct_attribution",
    "entropy",
    "expected_phase",
    "feature_dimensions",
    "frequency_groups",
    "frozen_weights",
    "gather_states",
    "has_heads",
    "head_maps",
    "held_out_information",
    "influence_by_group",
    "information_spread",
    "interference",
    "is_pentagon",
    "journey",
    "kept",
    "kmeans",
    "linear_probe",
    "linear_readout_margin",
    "margin_by_share",
    "mean_cca_distance",
    "mean_max_cosine",
    "most_frequent",
    "nearest_types",
    "neighbour_position_distance",
    "one_head_margin",
    "output_value",
    "patched",
    "patching_effect",
    "plug_in_information",
    "prefix_matching_score",
    "previous_token_score",
    "principal_plane",
    "pwcca_distance",
    "query_key",
    "random_mean_max_cosine",
    "reached",
    "reached_share",
    "report_on_states",
    "report_table",
    "represented",
    "same_token_neighbours",
    "shuffled_information",
    "shuffled_pwcca",
    "split_by_sentence",
    "svcca_distance",
    "token_influence",
    "two_feature_phase",
    "what_layers_hold",
    "with_ones",
    "written",
]


def __dir__() -> list[str]:
    return __all__
