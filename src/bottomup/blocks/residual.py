"""The residual stream: a sublayer reads it, and its result is added to it.

The two ways to place LayerNorm are two classes with the same two methods::

    update = sublayer(around.read(x))
    x = around.write(x, update)
"""

from abc import ABC, abstractmethod

from jaxtyping import Float
from torch import Tensor, nn

from bottomup.blocks.normalization import EPSILON, LayerNorm
from bottomup.checks import check_number, checked


class Residual(nn.Module, ABC):
    """What stands around a sublayer: its LayerNorm, dropout, and the addition.

    Args:
        d_model: width of the stream.
        dropout: probability in [0, 1) with which a component of the update is
            set to zero during training; the others grow by
            ``1 / (1 - dropout)``.
        epsilon: of the LayerNorm.

    Source: He et al. (2016) for the addition, for images. Chapter 04 derives
    it.
    """

    def __init__(
        self,
        d_model: int,
        *,
        dropout: int | float = 0.0,
        epsilon: int | float = EPSILON,
    ) -> None:
        super().__init__()
        check_number("dropout", dropout, at_least=0, below=1)
        self.norm = LayerNorm(d_model, epsilon=epsilon)
        self.dropout = nn.Dropout(float(dropout))
        self.d_model = self.norm.d_model

    @abstractmethod
    def read(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return what the sublayer gets."""

    @abstractmethod
    def write(
        self,
        x: Float[Tensor, "*leading d_model"],
        update: Float[Tensor, "*leading d_model"],
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the stream after the sublayer, whose output is `update`."""


class PreNorm(Residual):
    """Normalise what the sublayer reads; the stream itself is only added to.

    ``x <- x + Dropout(sublayer(LayerNorm(x)))``

    The stream after n sublayers is the embedding plus n updates. No LayerNorm
    stands on that path, so a stack of such layers needs one at its end, before
    the logits.

    Source: Xiong et al. (2020), "Pre-LN". Chapter 04 derives it.

    Example:
        >>> around = PreNorm(d_model=2)
        >>> x, update = torch.tensor([[1.0, 3.0]]), torch.tensor([[0.0, 1.0]])
        >>> around.read(x).detach(), around.write(x, update)
        (tensor([[-1.0000,  1.0000]]), tensor([[1., 4.]]))
    """

    def read(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return ``LayerNorm(x)``."""
        return self.norm(x)

    @checked
    def write(
        self,
        x: Float[Tensor, "*leading d_model"],
        update: Float[Tensor, "*leading d_model"],
    ) -> Float[Tensor, "*leading d_model"]:
        """Return ``x + Dropout(update)``."""
        return x + self.dropout(update)


class PostNorm(Residual):
    """Normalise the sum; the sublayer reads the stream as it is.

    ``x <- LayerNorm(x + Dropout(sublayer(x)))``

    Source: Vaswani et al. (2017), section 3.1; "Post-LN" in Xiong et al.
    (2020). Chapter 04 derives it.

    Example:
        >>> around = PostNorm(d_model=2)
        >>> x, update = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 1.0]])
        >>> around.write(around.read(x), update).detach()  # LayerNorm((1, 3))
        tensor([[-1.0000,  1.0000]])
    """

    @checked
    def read(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return `x` itself."""
        return x

    @checked
    def write(
        self,
        x: Float[Tensor, "*leading d_model"],
        update: Float[Tensor, "*leading d_model"],
    ) -> Float[Tensor, "*leading d_model"]:
        """Return ``LayerNorm(x + Dropout(update))``."""
        return self.norm(x + self.dropout(update))


RESIDUALS: dict[str, type[Residual]] = {"pre": PreNorm, "post": PostNorm}
