"""Measures the reranker on LoCoMo dev: the first candidates of the hybrid ranking are ordered again by
hybrid score + weight x MaxSim + signs that are read from the texts. Prints each part's share, and milliseconds on one thread.

Never trains and never chooses a weight; a weight that is chosen by its output is a choice made on the development set.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import json
import re
import statistics
import time
from pathlib import Path

import numpy as np

from corpus import locomo
from evaluate import Model
from hybrid import Hybrid, split_words

HEADER = re.compile(r"^(?:\[[^\]]*\] |\([^)]*\) )?")
SPEAKER = re.compile(r"^([A-Z][\w'-]+): ")
ASKS_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b", re.I)
TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|since|this (?:week|month|year|weekend|morning|summer|winter|spring|fall)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|june|july|august|september|october|november|december|20\d\d)\b", re.I)
NAMES = ("speaker", "time", "asks")


def signs(query: str, text: str) -> tuple[float, float, float]:
    """Of a memory: its speaker is named in the query; it names a time and the query asks for one; the share of its sentences that are questions."""
    rest = HEADER.sub("", text, count=1)
    speaker = SPEAKER.match(rest)
    body = re.sub(r"\[[^\]]*\]", "", SPEAKER.sub("", rest, count=1)).strip()
    sentences = re.findall(r"[^.!?]+[.!?]*", body)
    named = speaker is not None and speaker[1].lower() in split_words(query)
    timed = ASKS_WHEN.search(query) is not None and TIME.search(body) is not None
    return float(named), float(timed), sum(part.rstrip().endswith("?") for part in sentences) / max(1, len(sentences))


class Head:
    """Token vectors, int8 [tokens, dimensions], from the hidden states of the embedding model; without [CLS] and [SEP]."""

    def __init__(self, folder: Path, model: Model):
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), settings, providers=["CPUExecutionProvider"])
        self.model, self.config = model, json.loads((folder / "config.json").read_text())
        self.ignored = set(self.config["ignored_query_tokens"])

    def vectors(self, texts: list[str]) -> list[tuple[list[int], np.ndarray]]:
        rows = [encoding.ids for encoding in self.model.tokenizer.encode_batch(texts)]
        order, found = sorted(range(len(rows)), key=lambda row: len(rows[row])), [None] * len(rows)
        for start in range(0, len(order), 8):
            part = order[start : start + 8]
            width = max(len(rows[row]) for row in part)
            ids = np.array([rows[row] + [0] * (width - len(rows[row])) for row in part], np.int64)
            mask = np.array([[1] * len(rows[row]) + [0] * (width - len(rows[row])) for row in part], np.int64)
            [vectors] = self.session.run(None, {"last_hidden_state": self.model.hidden(ids, mask)})
            for row, values in zip(part, vectors, strict=True):
                found[row] = rows[row][1:-1], values[1 : len(rows[row]) - 1]
        return found

    def score(self, query: tuple[list[int], np.ndarray], memory: np.ndarray) -> float:
        """Mean over the query's tokens that count: the highest cosine with a token of the memory. Products of int8 are exact."""
        rows = [at for at, token in enumerate(query[0]) if token not in self.ignored] or range(len(query[0]))
        if len(memory) == 0 or len(query[0]) == 0:
            return 0.0
        return float((query[1][list(rows)].astype(np.int32) @ memory.astype(np.int32).T).max(1).mean()) / self.config["levels"] ** 2


class Candidates:
    """Of one question: the first `depth` turns by hybrid score, their scores, and which of them are evidence."""

    def __init__(self, texts: list[str], turns: list[dict], item: dict, scores: np.ndarray, depth: int):
        self.question = item["question"]
        self.rows = np.argsort(-scores, kind="stable")[:depth]
        self.scores, self.texts = scores[self.rows], [texts[row] for row in self.rows]
        self.evidence = np.array([turns[row]["id"] in item["evidence"] for row in self.rows])


def load(eval_folder: Path, model: Model, depth: int) -> list[tuple[str, list[Candidates]]]:
    """Candidates per conversation."""
    found = []
    for conversation in locomo(eval_folder):
        turns, items = conversation["turns"], conversation["questions"]
        texts = [f"[{turn['date']}] {turn['text']}" for turn in turns]
        ranking = Hybrid(texts, model.encode(texts))
        vectors = model.encode([item["question"] for item in items])
        found.append((conversation["id"], [Candidates(texts, turns, item, ranking.scores(item["question"], vector), depth) for item, vector in zip(items, vectors, strict=True)]))
    return found


def figures(candidates: list[Candidates], scores: list[np.ndarray]) -> list[float]:
    """MRR@20, hit@1, 5, 10, 20 in percent. `scores` order the first candidates of each question; the others follow as they are."""
    places = []
    for each, values in zip(candidates, scores, strict=True):
        order = np.argsort(-values, kind="stable")
        evidence = np.concatenate([each.evidence[: len(values)][order], each.evidence[len(values) :]])
        places.append(int(evidence.argmax()) if evidence.any() else 10**6)
    places = np.array(places)
    return [100 * float(np.where(places < 20, 1 / (places + 1), 0).mean()), *(100 * float((places < k).mean()) for k in (1, 5, 10, 20))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, nargs="+", required=True, help="folders of late_interaction.py")
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--candidates", type=int, default=32, help="how many are ordered again")
    parser.add_argument("--weights", type=float, nargs=4, default=[1.0, 0.15, 0.1, -0.1], help="of MaxSim, speaker, time, asks")
    options = parser.parse_args()
    model = Model(options.embedder, 128, threads=1)
    found = load(options.eval, model, 50)
    every = [each for _, part in found for each in part]
    count, (interaction, *weights) = options.candidates, options.weights
    row = lambda name, values: print(f"| {name} |", " | ".join(f"{value:.1f}" for value in values), "|", flush=True)  # noqa: E731
    print("| ranking | MRR | hit@1 | hit@5 | hit@10 | hit@20 |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    hybrid = [each.scores[:count] for each in every]
    row("hybrid", figures(every, hybrid))
    marks = [np.array([signs(each.question, text) for text in each.texts[:count]]) for each in every]
    for at, name in enumerate(NAMES):
        row(f"hybrid, {name}", figures(every, [scores + weights[at] * values[:, at] for scores, values in zip(hybrid, marks, strict=True)]))
    signed = [scores + values @ weights for scores, values in zip(hybrid, marks, strict=True)]
    row("hybrid, all signs", figures(every, signed))
    for folder in options.model:
        head = Head(folder, model)
        similar, computed, stored = [], [], []
        for each in every:
            begin, query = time.thread_time(), head.vectors([each.question])[0]
            memories = head.vectors(each.texts[:count])
            middle = time.thread_time()
            similar.append(np.array([head.score(query, values) for _, values in memories]))
            end = time.thread_time()
            computed.append(1000 * (end - begin))
            stored.append(1000 * (end - middle))
        row(f"{folder.name}, MaxSim alone", figures(every, similar))
        row(f"{folder.name}, hybrid, MaxSim", figures(every, [scores + interaction * values for scores, values in zip(hybrid, similar, strict=True)]))
        final = [scores + interaction * values for scores, values in zip(signed, similar, strict=True)]
        row(f"{folder.name}, hybrid, MaxSim, all signs", figures(every, final))
        start = 0
        for name, part in found:
            end = start + len(part)
            row(f"  of it {name}, hybrid", figures(part, hybrid[start:end]))
            row(f"  of it {name}, reranked", figures(part, final[start:end]))
            start = end
        print(f"{folder.name}: {count} candidates take {statistics.median(computed):.1f} ms of processor time on one thread, {statistics.median(stored):.1f} ms of it with stored token vectors")


if __name__ == "__main__":
    main()
