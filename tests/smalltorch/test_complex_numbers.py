"""Complex numbers are torch's, as far as turning pairs of coordinates needs them."""

import pytest
import torch

from tests.smalltorch.both import same

R = torch.tensor([[1.0, -2.5, 0.5, 3.0], [0.0, 1.5, -0.25, 2.0]])
A = torch.tensor([[0.3, -1.2, 2.0, 4.0], [0.0, -0.0, 1.0, -2.5]])
Z = torch.complex(R, A)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, r, a, z: torch.complex(r, a),
        lambda torch, r, a, z: torch.complex(r.T, a.T).stride(),
        lambda torch, r, a, z: torch.complex(r.double(), a.double()),
        lambda torch, r, a, z: torch.complex(r, a.double()),
        lambda torch, r, a, z: torch.complex(r, a.long()),
        lambda torch, r, a, z: torch.complex(1.0, a),
        lambda torch, r, a, z: torch.polar(r, a),
        lambda torch, r, a, z: torch.polar(torch.ones_like(a), a[:1]),
        lambda torch, r, a, z: torch.polar(r, a.long()),
        lambda torch, r, a, z: torch.view_as_complex(r.reshape(-1, 2)),
        lambda torch, r, a, z: torch.view_as_complex(r.reshape(2, 2, 2)[0]),
        lambda torch, r, a, z: torch.view_as_complex(r),
        lambda torch, r, a, z: torch.view_as_complex(r.T),
        lambda torch, r, a, z: torch.view_as_complex(r.long().reshape(-1, 2)),
        lambda torch, r, a, z: torch.view_as_complex(torch.tensor(1.0)),
        lambda torch, r, a, z: torch.view_as_real(z),
        lambda torch, r, a, z: torch.view_as_real(z.T).flatten(),
        lambda torch, r, a, z: torch.view_as_real(r),
        lambda torch, r, a, z: (z.real, z.imag, torch.real(z), torch.imag(z)),
        lambda torch, r, a, z: (r.real is r, torch.real(r) is r, r.conj() is r),
        lambda torch, r, a, z: r.imag,
        lambda torch, r, a, z: (z + z, z - 1, 2 * z, z * z, z / (z + 3), -z, z * 1j),
        lambda torch, r, a, z: (r * 1j, r + z, z * r, r.long() * 1j, r.double() * z),
        lambda torch, r, a, z: (z.exp(), z.sqrt(), (z + 3).log(), z.sin(), z.cos(), z.tanh()),
        lambda torch, r, a, z: (z**2, (z + 3) ** 0.5, z.square(), z == z, z != z[:1]),
        lambda torch, r, a, z: torch.exp(1j * a),
        lambda torch, r, a, z: z < z,
        lambda torch, r, a, z: z.floor(),
        lambda torch, r, a, z: z.sign(),
        lambda torch, r, a, z: (r * 1).mul_(z),
        lambda torch, r, a, z: (z * 1).mul_(r),
        lambda torch, r, a, z: z.is_complex(),
    ],
)
def test_lines(lines):
    same(lines, R, A, Z, limit=2e-6)


def turned(torch, x, angles):
    """Turn neighbouring coordinates, as rotary positions do."""
    turn = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(torch.view_as_complex(x.reshape(2, 2, 2)) * turn).flatten()


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, r, a: turned(torch, r, a[:, :2]),
        lambda torch, r, a: torch.view_as_real(torch.exp(torch.complex(r, a))),
        lambda torch, r, a: torch.complex(r, a).abs(),
        lambda torch, r, a: (torch.complex(r, a) * torch.complex(a, r)).real,
        lambda torch, r, a: (torch.complex(r, a) / torch.complex(a + 5, r)).imag,
        lambda torch, r, a: (torch.polar(r, a) * (1 + 2j)).conj().imag,
        lambda torch, r, a: (torch.exp(1j * a) * r).real,
        lambda torch, r, a: torch.complex(r, a).sgn().real + a + r,
    ],
)
def test_gradients(lines):
    same(lines, R, A, gradients=True)
    same(lines, R.double(), A.double(), gradients=True)
