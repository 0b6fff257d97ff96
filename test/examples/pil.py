# SPDX-License-Identifier: MIT
"""pil.py ANGLE FIRST TURNED - whether TURNED is FIRST turned as Python's PIL turns it.

PIL has two ways to the nearest pixel.  `rotate` steps in fixed point with 16 binary digits, and so
takes the neighbour now and then; the one for perspectives computes in double.  At least 99.9 % of
the pixels have to be those of the second, and where the angle's sine is short those of the first.
"""
import math
import sys

try:
    from PIL import Image
except ImportError:
    print("rotate: skipped, since Python's PIL is not there")
    sys.exit(77)

angle = float(sys.argv[1])
first, turned = Image.open(sys.argv[2]), Image.open(sys.argv[3])
c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
x, y = first.width / 2, first.height / 2
plane = (c, -s, x - c * x + s * y, s, c, y - s * x - c * y, 0, 0)


def equal(other):
    a, b = turned.getdata(), other.getdata()
    return sum(p == q for p, q in zip(a, b)) / len(a)


exact = equal(first.transform(first.size, Image.PERSPECTIVE, plane, Image.NEAREST))
fixed = equal(first.rotate(angle, Image.NEAREST))
print("turned by %g degrees: %.2f %% of the pixels are those of PIL in double, %.2f %% of rotate"
      % (angle, 100 * exact, 100 * fixed))
sys.exit(0 if exact >= 0.999 and fixed >= (0.999 if angle == 30 else 0.99) else 1)
