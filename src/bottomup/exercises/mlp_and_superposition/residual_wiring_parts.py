"""Blocks in other wirings: what the named mistakes are made of."""

from collections.abc import Callable

from torch import Tensor

Function = Callable[[Tensor], Tensor]
Answer = Callable[[Tensor, Function, Function, Function, Function, str], Tensor]
Step = Callable[[Tensor, Function, Function], Tensor]  # stream, sublayer, norm -> stream
Wiring = Callable[[Tensor, Function, Function, Function, Function], Tensor]


def pre(x: Tensor, sublayer: Function, norm: Function) -> Tensor:
    return x + sublayer(norm(x))


def post(x: Tensor, sublayer: Function, norm: Function) -> Tensor:
    return norm(x + sublayer(x))


def in_turn(first: Step, second: Step) -> Wiring:
    """Attention in one step, the MLP in the next."""
    return lambda x, attend, mlp, norm_1, norm_2: second(first(x, attend, norm_1), mlp, norm_2)


PRE, POST = in_turn(pre, pre), in_turn(post, post)


def of_kinds(*, pre: Wiring = PRE, post: Wiring = POST) -> Answer:
    """One wiring for each kind."""

    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
    ) -> Tensor:
        return {"pre": pre, "post": post}[kind](x, attend, mlp, norm_1, norm_2)

    return wrong


def wired(wrong_pre: Wiring, wrong_post: Wiring) -> tuple[Answer, ...]:
    """Wrong in both kinds; then in one of them alone."""
    return (
        of_kinds(pre=wrong_pre, post=wrong_post),
        of_kinds(pre=wrong_pre),
        of_kinds(post=wrong_post),
    )


def stepped(wrong_pre: Step, wrong_post: Step) -> tuple[Answer, ...]:
    """Wrong around both sublayers; then around attention or the MLP alone; in both or one kind."""
    return (
        *wired(in_turn(wrong_pre, wrong_pre), in_turn(wrong_post, wrong_post)),
        *wired(in_turn(wrong_pre, pre), in_turn(wrong_post, post)),
        *wired(in_turn(pre, wrong_pre), in_turn(post, wrong_post)),
    )
