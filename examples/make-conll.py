"""Writes sentences of words and tags in columns, as 'attest memorize --embed hash:D' reads them.

    make-conll.py SENTENCES TOKENS WORDS [SEED] > train.conll

Words are drawn by a law like Zipf's, every one of them occurs, tags are drawn at random: nothing
can be learnt from them, they can only be memorised. Equal sentences get equal tags, else they could
not be.
"""
import random
import sys

TAGS = ["O"] * 8 + ["B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC", "I-MISC"]


def lengths(sentences, tokens):
    """Positive lengths with this sum, spread like those of sentences."""
    out = [max(1, int(10 * random.gammavariate(2.2, 1))) for _ in range(sentences)]
    scale = tokens / sum(out)
    out = [max(1, round(scale * length)) for length in out]
    while sum(out) != tokens:
        i = random.randrange(sentences)
        out[i] = max(1, out[i] + (1 if sum(out) < tokens else -1))
    return out


def main():
    sentences, tokens, words = (int(x) for x in sys.argv[1:4])
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    names = ["w%d" % i for i in range(words)]
    drawn = random.choices(names, [1 / (i + 2.7) for i in range(words)], k=tokens - words) + names
    random.shuffle(drawn)
    at, known = iter(drawn), {}
    for length in lengths(sentences, tokens):
        sentence = tuple(next(at) for _ in range(length))
        tags = known.setdefault(sentence, [random.choice(TAGS) for _ in sentence])
        for word, tag in zip(sentence, tags):
            print(word, "NN", tag)
        print()


if __name__ == "__main__":
    main()
