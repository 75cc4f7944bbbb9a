"""Two workers with folders of their own measure what one process does."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from bottomup.experiments.engine import provenance
from tests.experiments.toy import TOY, ToyConfig

distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
from bottomup.experiments.engine.cluster import connect  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]
SEEDS = [3, 5, 7]


@pytest.fixture(scope="module")
def fell(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("fell") / "once"
        patch.setenv("BOTTOMUP_FELL", str(path))
        yield path


@pytest.fixture(scope="module")
def address(tmp_path_factory, fell):
    with (
        warnings.catch_warnings(action="ignore"),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("workers")),
        ) as cluster,
    ):  # fmt: skip
        yield cluster.scheduler_address


def falls_once(config, variant, trial):
    """Measure as the toy does, but the worker of one unit dies the first time."""
    fell = Path(os.environ["BOTTOMUP_FELL"])
    if (variant, trial.seed) == ("slow", SEEDS[0]) and not fell.exists():
        fell.touch()
        os._exit(9)
    return TOY.measure(config, variant, trial)


def test_a_cluster_that_loses_a_worker_gives_the_record_of_one_process(address, tmp_path, fell):
    there = replace(TOY, measure=falls_once).run(
        ToyConfig(), SEEDS, "cpu", out=tmp_path, cluster=address
    )
    assert fell.exists()
    assert there.runs == TOY.run(ToyConfig(), SEEDS, "cpu").runs
    assert sorted(p.name for p in (tmp_path / "units").glob("*.json")) == sorted(
        f"{variant}-{seed}.json" for variant in TOY.variants(ToyConfig()) for seed in SEEDS
    )


def test_workers_with_other_versions_are_refused(address, monkeypatch):
    monkeypatch.setattr(provenance, "versions", lambda: {"torch": "1.0"})
    with pytest.raises(ValueError, match=r"cluster: .* has torch .*, expected 1.0 as here"):
        connect(address)
