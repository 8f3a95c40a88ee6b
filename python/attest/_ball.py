"""Balls: numbers that are known up to a proved error, with exact ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping, Optional, Union

_MOST = 1 << 24  # bits that a number is expanded to


def _read(text: str) -> Fraction:
    """A hex float, exactly; its exponent may be of any size."""
    sign = -1 if text.startswith("-") else 1
    digits, _, power = text.lstrip("+-").lower().partition("p")
    if not digits.startswith("0x"):
        return Fraction(text)
    whole, _, fraction = digits[2:].partition(".")
    mantissa = int((whole + fraction) or "0", 16)
    exponent = int(power or "0") - 4 * len(fraction)
    if mantissa and abs(exponent) > _MOST:
        raise OverflowError(f"{text} is not expanded: it would have {abs(exponent)} bits")
    return sign * mantissa * Fraction(2) ** exponent


class Ball:
    """A number in [mid - rad, mid + rad], exactly.

    >>> x = Ball.from_record({"mid": "0x1.8p+1", "rad": "0x1p-60", "text": "[3.00000 +/- 8.7e-19]"})
    >>> x.mid, x.lower < 3 < x.upper, 3 in x
    (Fraction(3, 1), True, True)
    >>> Ball("1/3")
    Ball(1/3)
    """

    __slots__ = ("mid", "rad", "log2", "text")

    def __init__(self, mid: Union[Fraction, int, float, str], rad: Union[Fraction, int, float, str] = 0):
        self.mid = Fraction(mid)
        self.rad = Fraction(rad)
        if self.rad < 0:
            raise ValueError("the radius of a ball is not negative")
        self.log2: Optional[str] = None
        self.text: Optional[str] = None

    @classmethod
    def from_record(cls, record: Optional[Mapping[str, Any]]) -> "Ball":
        """The ball of a record: ``{"mid": "0x1.8p+1", "rad": "0x1p-60", ...}``."""
        if record is None:
            raise ValueError("this ball is not finite")
        ball = cls(_read(record["mid"]), _read(record["rad"]))
        ball.log2 = record.get("log2")
        ball.text = record.get("text")
        return ball

    @property
    def lower(self) -> Fraction:
        return self.mid - self.rad

    @property
    def upper(self) -> Fraction:
        return self.mid + self.rad

    def __contains__(self, x: Union[Fraction, int, float]) -> bool:
        return self.lower <= Fraction(x) <= self.upper

    def __float__(self) -> float:
        return float(self.mid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ball) and (self.mid, self.rad) == (other.mid, other.rad)

    def __hash__(self) -> int:
        return hash((self.mid, self.rad))

    def __repr__(self) -> str:
        return f"Ball({self.mid})" if not self.rad else f"Ball({self.text or f'{self.mid} +/- {self.rad}'})"
