"""Reads the corpus and the evaluation files. Knows their layout, and nothing about training."""
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import zstandard


def read_lines(path: Path) -> Iterator[str]:
    """Lines of `path`, or of `path`.zst when only the compressed file is there, without their line ends."""
    packed = path.with_name(path.name + ".zst")
    if path.exists():
        stream = open(path, "rb")
    else:
        stream = zstandard.ZstdDecompressor().stream_reader(open(packed, "rb"))
    with io.TextIOWrapper(stream, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n")


def stsb(folder: Path) -> list[tuple[str, str, float]]:
    """STS benchmark, English development part: sentence, sentence, score 0 to 5."""
    with open(folder / "stsb-en-dev.csv", newline="") as rows:
        return [(a, b, float(score)) for a, b, score in csv.reader(rows)]


def locomo(folder: Path) -> list[dict]:
    """Conversations of LoCoMo dev: `turns` (id, date, text) and `questions` (question, evidence)."""
    return json.loads((folder / "locomo-dev.json").read_text())


def eval_texts(folder: Path) -> list[str]:
    """Every text of the evaluation files, so that training text can be kept apart from it."""
    texts = [text for a, b, _ in stsb(folder) for text in (a, b)]
    for conversation in locomo(folder):
        for turn in conversation["turns"]:
            text = turn["text"].split(": ", 1)[-1]
            texts += [part.strip() for part in text.replace("[shares a photo:", "\n").replace("]", "\n").split("\n") if part.strip()]
        texts += [str(item[key]) for item in conversation["questions"] for key in ("question", "answer")]
    return texts
