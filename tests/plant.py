"""Planted bugs: texts of a file that are replaced, each of which must occur once and change.

usage: plant.py FILE TEXT REPLACEMENT...: plants them.
       plant.py --try SOURCE: plants nothing; reads bugs from standard input, each a list of words that end
       with a zero byte, the number of the others first: NAME FILE TEXT REPLACEMENT...; prints the names of
       those that do not apply.
"""
import os
import sys


def planted(text, pairs):
    assert pairs and len(pairs) % 2 == 0
    for old, new in zip(pairs[::2], pairs[1::2]):
        assert text.count(old) == 1 and old != new, (text.count(old), old)
        text = text.replace(old, new)
    return text


def bugs(words):
    at = 0
    while at < len(words):
        count = int(words[at])
        yield words[at + 1:at + 1 + count]
        at += 1 + count


if sys.argv[1] == "--try":
    for name, file, *pairs in bugs(sys.stdin.read().split("\0")[:-1]):
        try:
            planted(open(os.path.join(sys.argv[2], file)).read(), pairs)
        except (AssertionError, OSError):
            print(name)
else:
    text = planted(open(sys.argv[1]).read(), sys.argv[2:])
    open(sys.argv[1], "w").write(text)
