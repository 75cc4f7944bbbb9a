import pytest
import torch

from bottomup.training import device, pick


def with_gpus(monkeypatch, count: int) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)


def test_pick_takes_the_gpu_where_there_is_one(monkeypatch):
    monkeypatch.delenv("BOTTOMUP_DEVICE", raising=False)
    with_gpus(monkeypatch, 1)
    assert pick() == torch.device("cuda")
    with_gpus(monkeypatch, 0)
    assert pick() == torch.device("cpu")
    assert device.pick is pick


@pytest.mark.parametrize("wanted", ["cpu", "cuda", "cuda:1"])
def test_the_environment_decides(monkeypatch, wanted):
    with_gpus(monkeypatch, 2)
    monkeypatch.setenv("BOTTOMUP_DEVICE", wanted)
    assert pick() == torch.device(wanted)


@pytest.mark.parametrize("wanted", ["gpu", "meta", "cuda:x"])
def test_a_name_of_no_device_is_refused(monkeypatch, wanted):
    monkeypatch.setenv("BOTTOMUP_DEVICE", wanted)
    with pytest.raises(ValueError, match=f"BOTTOMUP_DEVICE: expected .* got '{wanted}'"):
        pick()


@pytest.mark.parametrize("wanted, count", [("cuda", 0), ("cuda:2", 2)])
def test_a_device_this_machine_lacks_is_refused(monkeypatch, wanted, count):
    with_gpus(monkeypatch, count)
    monkeypatch.setenv("BOTTOMUP_DEVICE", wanted)
    with pytest.raises(ValueError, match=f"got '{wanted}', but this machine has {count} CUDA"):
        pick()
