"""Trains embeddings for the new pieces of extend_vocabulary.py, so that a translation gets the vector of its English original. Layers and
known tokens are frozen: English text whose tokens are the same keeps its vectors.

A new piece is `width` numbers, which one matrix for all of them makes as long as an embedding. It starts where transfer_pieces.py says, or as the
weighted mean of the English tokens that occur in translations of its texts. Loss: 6 x (1 - cosine with the English vector) + in-batch negatives (temperature 0.05); a batch
is of one language. Writes pieces.pt.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer
from torch.nn import functional

from frozen import Layers, pool

TEMPERATURE = 0.05


def weight(english: str, source: str, general: tuple[str, ...]) -> float:
    """How often a pair is drawn: menu labels and words less often than sentences, messages less often than other text."""
    if source == "word":
        return 0.25
    if source.startswith("mo/"):
        return (0.35 if len(english) < 16 else 1.0) * (1.6 if source.startswith(general) else 1.0)
    return 2.0


class Translations:
    """Pairs by language, with the vectors of their English sides."""

    def __init__(self, folder: Path, general: tuple[str, ...]):
        self.english = json.loads((folder / "english.json").read_text())
        self.vectors = np.load(folder / "english.npy", mmap_mode="r")
        rows: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
        for line in open(folder / "train.tsv"):
            language, row, other, source = line.rstrip("\n").split("\t")
            rows[language].append((int(row), other, weight(self.english[int(row)], source, general)))
        self.languages = sorted(rows)
        self.rows = rows
        self.shares = {language: np.array([row[2] for row in part]) / sum(row[2] for row in part) for language, part in rows.items()}

    def draw(self, language: str, count: int) -> list[tuple[int, str, float]]:
        part = self.rows[language]
        return [part[index] for index in np.random.choice(len(part), count, p=self.shares[language])]


def start(translations: Translations, new: Tokenizer, known: Tokenizer, words: np.ndarray, pieces: int, most: int = 150_000) -> np.ndarray:
    """Float32 [pieces, width of an embedding]. Of the English tokens that occur together with a piece, the six most typical ones count, by the
    square of common / sqrt(occurrences x occurrences)."""
    total, first = None, len(words)
    seen, seen_english = np.zeros(first + pieces), np.zeros(first)
    for language in translations.languages:
        drawn = translations.draw(language, min(most, len(translations.rows[language])))
        sides = []
        for tokenizer, texts, size in ((new, [row[1] for row in drawn], first + pieces), (known, [translations.english[row[0]] for row in drawn], first)):
            sets = [sorted(set(encoding.ids)) for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
            ends = np.concatenate([[0], np.cumsum([len(row) for row in sets])])
            sides.append(csr_matrix((np.ones(ends[-1], np.float32), np.concatenate([np.array(row, np.int32) for row in sets]), ends), shape=(len(sets), size)))
        other, english = sides
        seen += np.asarray(other.sum(0)).ravel()
        seen_english += np.asarray(english.sum(0)).ravel()
        together = (other.T @ english.multiply(1 / np.sqrt(np.maximum(4, english.sum(1)))).tocsr()).tocsr()
        total = together if total is None else total + together
    mean, result = words[5:].mean(0), np.zeros((pieces, words.shape[1]), np.float32)
    for piece in range(pieces):
        part = slice(total.indptr[first + piece], total.indptr[first + piece + 1])
        tokens, common = total.indices[part], total.data[part]
        scores = common / np.sqrt((seen[first + piece] + 2) * (seen_english[tokens] + 2))
        best = np.argsort(-scores)[:6]
        shares = scores[best] ** 2
        sure = min(1.0, seen[first + piece] / 5) if len(best) else 0.0
        result[piece] = (1 - sure) * mean + (sure * (shares[:, None] * words[tokens[best]]).sum(0) / shares.sum() if len(best) else 0)
    return result


class Pieces(torch.nn.Module):
    def __init__(self, initial: np.ndarray, width: int):
        super().__init__()
        mean = initial.mean(0)
        left, values, right = np.linalg.svd(initial - mean, full_matrices=False)
        self.rows = torch.nn.Parameter(torch.from_numpy(left[:, :width] * values[:width]))
        self.projection = torch.nn.Parameter(torch.from_numpy(right[:width].copy()))
        self.mean = torch.nn.Parameter(torch.from_numpy(mean))

    def forward(self, words: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        first = len(words)
        pieces = functional.embedding((ids - first).clamp(min=0), self.rows) @ self.projection + self.mean
        return torch.where((ids >= first)[..., None], pieces, words[ids.clamp(max=first - 1)])


def encode(layers: Layers, pieces: Pieces, ids: list[list[int]]) -> torch.Tensor:
    width = max(map(len, ids))
    batch = torch.tensor([row + [0] * (width - len(row)) for row in ids])
    mask = torch.tensor([[True] * len(row) + [False] * (width - len(row)) for row in ids])
    return pool(layers(pieces(layers.words, batch), mask), mask)


def batches(translations: Translations, tokenizer: Tokenizer, size: int) -> Iterator[tuple[list[list[int]], np.ndarray]]:
    """Endless batches of token ids and rows of English texts; each of one language and of similar lengths."""
    while True:
        groups = []
        for language in translations.languages:
            drawn = translations.draw(language, 8 * size)
            ids = [encoding.ids for encoding in tokenizer.encode_batch([row[1] for row in drawn])]
            order = sorted(range(len(ids)), key=lambda row: len(ids[row]) + random.random())
            for at in range(0, len(order), size):
                groups.append(([ids[row] for row in order[at : at + size]], np.array([drawn[row][0] for row in order[at : at + size]])))
        random.shuffle(groups)
        yield from groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the model folder whose layers and words are used")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of extend_vocabulary.py or transfer_pieces.py; start.npy there is where the pieces start")
    parser.add_argument("--translations", type=Path, required=True, help="folder of split_translations.py")
    parser.add_argument("--general", nargs="*", default=[], help="beginnings of sources of messages that are not about programs, such as mo/wesnoth")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--steps", type=int, default=3200)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    for module in (random, np.random):
        module.seed(options.seed)
    torch.manual_seed(options.seed)
    translations = Translations(options.translations, tuple(options.general))
    layers = Layers(options.model)
    new, known = (Tokenizer.from_file(str(folder / "tokenizer.json")) for folder in (options.tokenizer, options.model))
    for tokenizer in (new, known):
        tokenizer.no_padding()
        tokenizer.enable_truncation(options.max_tokens)
    given = options.tokenizer / "start.npy"
    initial = np.load(given) if given.exists() else start(translations, new, known, layers.words.numpy(), new.get_vocab_size() - len(layers.words))
    pieces = Pieces(initial, options.width)
    optimizer = torch.optim.AdamW([{"params": [pieces.rows], "lr": options.rate}, {"params": [pieces.projection, pieces.mean], "lr": options.rate / 5}], betas=(0.9, 0.99), weight_decay=0.0)
    rates, begin, sums = [group["lr"] for group in optimizer.param_groups], time.time(), np.zeros(2)
    for step, (ids, rows) in zip(range(options.steps), batches(translations, new, options.batch)):
        factor = min(1.0, (step + 1) / 50) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * step / options.steps)))
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * factor
        target = torch.from_numpy(np.stack([translations.vectors[row] for row in rows]).astype(np.float32))
        vectors = encode(layers, pieces, ids)
        # An English text that occurs twice is not a negative of itself.
        again = torch.from_numpy((rows[:, None] == rows[None, :]) & ~np.eye(len(rows), dtype=bool))
        cosine = (vectors * target).sum(1).mean()
        ranking = functional.cross_entropy((vectors @ target.T / TEMPERATURE).masked_fill(again, -1e4), torch.arange(len(rows)))
        optimizer.zero_grad(set_to_none=True)
        (6 * (1 - cosine) + ranking).backward()
        optimizer.step()
        sums += [cosine.item(), ranking.item()]
        if (step + 1) % 200 == 0 or step + 1 == options.steps:
            count = (step % 200) + 1
            print(f"step {step + 1}, {time.time() - begin:.0f} s: cosine {sums[0] / count:.3f}, ranking {sums[1] / count:.3f}", flush=True)
            sums[:] = 0
            torch.save(pieces.state_dict(), options.out)


if __name__ == "__main__":
    main()
