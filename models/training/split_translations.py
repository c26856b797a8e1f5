"""Divides translations into those to train on and those to measure with, and computes the vectors of the English sides with the model that
the translations shall be close to.

Never trains on a text of the held-out translations, of the pair set's sources or of the evaluation files (same text, or one shared run of six words).
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from corpus import eval_texts
from evaluate import Model
from select_text import HELD_OUT, Overlap


def encode(model: Model, texts: list[str], file: Path) -> None:
    """Float16 [texts, dimensions]."""
    vectors = np.lib.format.open_memmap(file, "w+", np.float16, (len(texts), 384))
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    for start in range(0, len(order), 8192):
        rows = order[start : start + 8192]
        vectors[rows] = model.encode([texts[row] for row in rows], 64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="written by bilingual.py")
    parser.add_argument("--held-out", type=Path, required=True, help="bitext-held-out.tsv of select_text.py, which is measured, too")
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--measured", default="sentences", help="beginning of the source that held-out translations come from, where a language has it")
    parser.add_argument("--otherwise", default="mo/", help="the same for other languages")
    parser.add_argument("--out", type=Path, required=True, help="writes train.tsv (language, row of english.json, translation, source), english.json, english.npy, held-out.tsv")
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    rows: dict[str, list[list[str]]] = defaultdict(list)
    for line in open(options.pairs):
        language, english, other, source = line.rstrip("\n").split("\t")
        rows[language].append([english, other, source])
    measured = [line.rstrip("\n").split("\t") for line in open(options.held_out)]
    for language, part in rows.items():
        random.shuffle(part)
        for start in (options.measured, options.otherwise):
            fitting = {english.lower(): [english, other, f"{language}-{source.split('/')[0]}"] for english, other, source in part if source.startswith(start) and 25 <= len(english) <= 140}
            if len(fitting) >= HELD_OUT:
                measured += list(fitting.values())[:HELD_OUT]
                break
    (options.out / "held-out.tsv").write_text("".join("\t".join(row) + "\n" for row in measured))
    kept_out = {text.strip().lower() for english, other, _ in measured for text in (english, other)}
    overlap, numbers, counts = Overlap(eval_texts(options.eval), 6), {}, Counter()
    with open(options.out / "train.tsv", "w") as out:
        for language, part in rows.items():
            for english, other, source in part:
                if english.lower() in kept_out or other.lower() in kept_out or overlap.hit(english):
                    counts["dropped"] += 1
                    continue
                counts[language] += 1
                out.write(f"{language}\t{numbers.setdefault(english, len(numbers))}\t{other}\t{source}\n")
    (options.out / "english.json").write_text(json.dumps(list(numbers), ensure_ascii=False))
    print(len(numbers), "English texts,", dict(counts), flush=True)
    encode(Model(options.model, 128), list(numbers), options.out / "english.npy")


if __name__ == "__main__":
    main()
