"""Trains all layers, the additional pieces and the head of the reranker of an exported model together, for a given time:

translations  a text in another language gets the vector that the model gave its English text before, and finds it among others
replay        English texts, also long ones, keep the vectors that the model gave them before
pairs         a question finds its statement among the others of the batch; so it does by the tokens' vectors (MaxSim)
Writes the averaged weights as float16 (.npz files of at most --part MB); blend_whole.py makes a model folder of them.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from finetune import LOOSE
from frozen import pool
from whole import Whole, max_sim, schedule

TEMPERATURE = 0.05


class Texts:
    """Token ids of many texts, on the device."""

    def __init__(self, tokenizer: Tokenizer, texts: list[str], most: int, device: str):
        lengths, flat = [], []
        for start in range(0, len(texts), 100_000):
            for encoding in tokenizer.encode_batch(texts[start : start + 100_000]):
                ids = encoding.ids if len(encoding.ids) <= most else [*encoding.ids[: most - 1], encoding.ids[-1]]
                lengths.append(len(ids))
                flat.append(np.array(ids, np.int32))
        self.lengths = np.array(lengths)
        self.flat = torch.from_numpy(np.concatenate(flat)).to(device)
        self.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(self.lengths)[:-1]])).to(device)
        self.device = device

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids and mask [rows, tokens of the longest]."""
        width = -(-int(self.lengths[rows].max()) // 8) * 8
        places = torch.arange(width, device=self.device)
        lengths = torch.from_numpy(self.lengths[rows]).to(self.device)
        starts = self.starts[torch.from_numpy(rows).to(self.device)]
        mask = places[None, :] < lengths[:, None]
        ids = self.flat[(starts[:, None] + places[None, :]).clamp(max=len(self.flat) - 1)].long()
        return torch.where(mask, ids, 0), mask


def by_length(lengths: np.ndarray, rows: np.ndarray, size: int) -> list[np.ndarray]:
    """Batches of about equal lengths, in a random order."""
    order = rows[np.argsort(lengths[rows] * np.random.uniform(0.85, 1.15, len(rows)), kind="stable")]
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    random.shuffle(groups)
    return [group for group in groups if len(group) >= 8]


def endless(lengths: np.ndarray, size: int, chance: np.ndarray | None = None) -> Iterator[np.ndarray]:
    while True:
        rows = np.arange(len(lengths))
        if chance is not None:
            rows = rows[np.random.random(len(rows)) < chance]
        yield from by_length(lengths, rows, size)


def weight(source: str, english: str) -> float:
    """How often a translation is drawn: labels of programs less often than sentences."""
    return 0.3 if len(english) < 16 else 0.6 if source.startswith(("mo", "ddtp")) else 1.0


@torch.no_grad()
def targets(model: Whole, texts: Texts, budget: int = 200_000) -> torch.Tensor:
    """Float16 [texts, width]: the vectors of the model as it is."""
    result = torch.zeros(len(texts), model.words.shape[1], dtype=torch.float16, device=texts.device)
    order, at = np.argsort(texts.lengths, kind="stable"), 0
    while at < len(order):
        end = min(len(order), at + max(1, budget // int(texts.lengths[order[min(len(order) - 1, at + 4096)]])))
        rows = order[at:end]
        with torch.autocast(texts.device, torch.bfloat16, enabled=texts.device == "cuda"):
            ids, mask = texts.batch(rows)
            result[torch.from_numpy(rows).to(texts.device)] = pool(model(ids, mask), mask).half()
        at = end
    return result


def joined(texts: list[tuple[str, str, str]], count: int, parts: tuple[int, int]) -> list[tuple[str, str, str]]:
    """Long texts: consecutive rows (source, text, text) of one source, joined."""
    result = []
    for _ in range(count * 2):
        start, size = random.randrange(max(1, len(texts) - parts[1])), random.randint(*parts)
        rows = texts[start : start + size]
        if len({row[0] for row in rows}) == 1:
            result.append((rows[0][0], " ".join(row[1] for row in rows)[:2200], " ".join(row[2] for row in rows)[:2200]))
        if len(result) == count:
            break
    return result


def find(scores: torch.Tensor, same: torch.Tensor, weights: torch.Tensor, twins: float = 2.0) -> torch.Tensor:
    """Cross-entropy of finding the own partner, both ways. `same` are pairs that are no negatives; nor are those above the partner by `twins`."""
    away = (same | (scores > scores.diagonal()[:, None] + twins)) & ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    scores = (scores / TEMPERATURE).masked_fill(away, -1e4)
    losses = -scores.log_softmax(1).diagonal() - 0.5 * scores.log_softmax(0).diagonal()
    return (losses * weights).sum() / weights.sum()


def equal(rows: torch.Tensor) -> torch.Tensor:
    return rows[:, None] == rows[None, :]


def kept(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    """1 - cosine, and the divergence of the rows of the similarity matrices."""
    eye = torch.eye(len(student), device=student.device, dtype=torch.bool)
    ours = (student @ student.T / TEMPERATURE).masked_fill(eye, -1e4).log_softmax(-1)
    theirs = (teacher @ teacher.T / TEMPERATURE).masked_fill(eye, -1e4).softmax(-1)
    return 8 * (1 - (student * teacher).sum(-1).mean()) + 0.5 * functional.kl_div(ours, theirs, reduction="batchmean")


class Translations:
    """Rows by language: text in another language, and the number of its English text."""

    def __init__(self, file: Path, tokenizer: Tokenizer, device: str, most: int):
        rows = defaultdict(list)
        for line in open(file):
            language, source, english, other = line.rstrip("\n").split("\t")
            rows[language].append((source, english, other))
        numbers: dict[str, int] = {}
        others, english, chance, self.parts = [], [], [], {}
        for language, part in sorted(rows.items()):
            part += joined([row for row in part if len(row[1]) > 30], len(part) // 12, (2, 4))
            begin = len(others)
            for source, a, b in part:
                others.append(b)
                english.append(numbers.setdefault(a, len(numbers)))
                chance.append(weight(source, a))
            self.parts[language] = np.arange(begin, len(others))
        self.english = Texts(tokenizer, list(numbers), most, device)
        self.others = Texts(tokenizer, others, most, device)
        self.numbers, self.chance = torch.tensor(english, device=device), np.array(chance)

    def batches(self, size: int) -> Iterator[np.ndarray]:
        """Each of one language; large languages are drawn less often than their sizes say."""
        while True:
            groups = []
            most = max(len(part) for part in self.parts.values())
            for part in self.parts.values():
                share = self.chance[part] * (most / len(part)) ** 0.3
                # A share of 1.6 is each row once, and six of ten rows again.
                times = np.floor(share + np.random.random(len(part))).astype(int)
                groups += by_length(self.others.lengths, np.repeat(part, times), size)
            random.shuffle(groups)
            yield from groups


class Pairs:
    """Left and right texts, in the order of the file, with weights."""

    def __init__(self, rows: list[tuple[str, str, float]], tokenizer: Tokenizer, device: str, most: int):
        self.left, self.right = (Texts(tokenizer, [row[side] for row in rows], most, device) for side in (0, 1))
        numbers: dict[str, int] = {}
        self.ids = [torch.tensor([numbers.setdefault(row[side], len(numbers)) for row in rows], device=device) for side in (0, 1)]
        self.weights = torch.tensor([row[2] for row in rows], device=device)

    def blocks(self, size: int, block: int) -> Iterator[np.ndarray]:
        """Random blocks of `block` consecutive rows: what is beside each other in a file is hard to tell apart."""
        count = len(self.left) - block
        while True:
            yield np.concatenate([np.arange(start, start + block) for start in np.random.randint(0, count, size // block)])


def read_pairs(files: list[Path]) -> list[tuple[str, str, float]]:
    result = []
    for file in files:
        for line in open(file):
            a, b, source = line.rstrip("\n").split("\t")[:3]
            result.append((a[:300], b[:600], LOOSE.get(source.split("/")[-1], 1.0)))
    return result


def read_written(files: list[Path]) -> list[tuple[str, str, float]]:
    """Columns: memory, query, kind, language."""
    rows = [line.rstrip("\n").split("\t") for file in files for line in open(file)]
    return [(row[1], row[0], 1.0) for row in rows if len(row) == 4]


def save(model: Whole, mean: dict[str, torch.Tensor], out: Path, part: int) -> None:
    """Float16 arrays in files of at most `part` bytes."""
    out.mkdir(parents=True, exist_ok=True)
    group, size, number = {}, 0, 0
    items = list(mean.items())
    for at, (name, value) in enumerate(items):
        array = value.half().cpu().numpy()
        if group and size + array.nbytes > part:
            np.savez(out / f"weights-{number}.npz", **group)
            group, size, number = {}, 0, number + 1
        group[name] = array
        size += array.nbytes
        if at == len(items) - 1:
            np.savez(out / f"weights-{number}.npz", **group)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="an exported model folder with pieces")
    parser.add_argument("--head", type=Path, required=True, help="folder of late_interaction.py for it")
    parser.add_argument("--translations", type=Path, required=True, help="language, source, English text, translation")
    parser.add_argument("--units", type=Path, required=True, help="units.tsv of select_text.py")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="pairs.tsv of select_text.py, questions.tsv of register.py")
    parser.add_argument("--written", type=Path, nargs="*", default=[], help="memories with queries: memory, query, kind, language; neighbours are alike")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60, help="with the preparation")
    parser.add_argument("--batch", type=int, default=1536)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--english", type=float, default=1.0, help="weight of replay")
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--part", type=int, default=16_000_000)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    began = time.time()
    for module in (random, np.random):
        module.seed(options.seed)
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    size = options.batch
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model = Whole(options.model, options.head).to(device)
    say = lambda *words: print(f"{time.time() - began:.0f} s:", *words, flush=True)  # noqa: E731

    translations = Translations(options.translations, tokenizer, device, options.max_tokens)
    say(len(translations.others), "translations of", len(translations.english), "English texts", {name: len(part) for name, part in translations.parts.items()})
    units = [tuple(line.rstrip("\n").split("\t")[:2]) for line in open(options.units)]
    long = Texts(tokenizer, [row[1] for row in joined([(source, text, text) for source, text in units], len(units) // 10, (3, 12))], 448, device)
    short = Texts(tokenizer, [text for _, text in units], options.max_tokens, device)
    pairs = Pairs(read_pairs(options.pairs), tokenizer, device, options.max_tokens)
    written = Pairs(read_written(options.written), tokenizer, device, options.max_tokens) if options.written else None
    say(len(short), "units,", len(long), "long ones,", len(pairs.left), "pairs,", len(written.left) if written else 0, "written pairs")
    goals = {name: targets(model, texts) for name, texts in {"english": translations.english, "short": short, "long": long}.items()}
    say("encoded")

    rates = {"pieces": 5.0, "projection": 1.0, "head": 1.0}
    optimizer = torch.optim.AdamW(
        [{"params": [value], "lr": 0.0, "factor": rates.get(name, 1.0), "weight_decay": 0.01 if value.ndim > 1 and name not in ("pieces", "positions") else 0.0} for name, value in model.weights.items()],
        betas=(0.9, 0.98), fused=device == "cuda",
    )
    mean = {name: value.detach().clone() for name, value in model.weights.items()}
    foreign, english, lengthy = translations.batches(size), endless(short.lengths, size * 2 // 3), endless(long.lengths, max(8, size // 10))
    # In blocks of one, whatever is in the file; blocks of eight are alike.
    mixed, alike = pairs.blocks(size // 2, 1), pairs.blocks(size // 2, 8)
    neighbours = written.blocks(size // 4, 8) if written else None
    special = torch.tensor([tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]", "[PAD]")], device=device)

    def tokens(hidden: torch.Tensor, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return model.token_vectors(hidden), ~torch.isin(ids, special)

    def found(part: Pairs, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Losses of vectors and of tokens."""
        rows_on_device = torch.from_numpy(rows).to(device)
        left_ids, left_mask = part.left.batch(rows)
        right_ids, right_mask = part.right.batch(rows)
        left, right = model(left_ids, left_mask), model(right_ids, right_mask)
        same = equal(part.ids[0][rows_on_device]) | equal(part.ids[1][rows_on_device])
        weights = part.weights[rows_on_device]
        by_vectors = find((pool(left, left_mask) @ pool(right, right_mask).T).float(), same, weights, 0.1)
        few = min(len(rows), max(8, size // 8))
        a, counted = tokens(left[:few], left_ids[:few])
        b, present = tokens(right[:few], right_ids[:few])
        return by_vectors, find(max_sim(a, counted, b, present).float(), same[:few, :few], weights[:few], 0.1)

    training, step, sums, saved = time.time(), 0, defaultdict(float), time.time()
    while (progress := (time.time() - training) / (began + 60 * options.minutes - training)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * group["factor"] * schedule(step, progress)
        losses = {}
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            rows = next(foreign)
            rows_on_device = torch.from_numpy(rows).to(device)
            numbers = translations.numbers[rows_on_device]
            goal = goals["english"][numbers].float()
            ids, mask = translations.others.batch(rows)
            hidden = model(ids, mask)
            vectors = pool(hidden, mask)
            ones = torch.ones(len(rows), device=device)
            cosine = (vectors * goal).sum(1).mean()
            losses["translation"] = 6 * (1 - cosine)
            losses["found"] = find((vectors @ goal.T).float(), equal(numbers), ones)
            few = max(8, size // 10)
            their_ids, their_mask = translations.english.batch(numbers[:few].cpu().numpy())
            theirs = model(their_ids, their_mask)
            a, counted = tokens(hidden[:few], ids[:few])
            b, present = tokens(theirs, their_ids)
            losses["tokens"] = 0.15 * find(max_sim(a, counted, b, present).float(), equal(numbers[:few]), ones[: len(a)])
            rows = next(english)
            ids, mask = short.batch(rows)
            losses["replay"] = options.english * kept(pool(model(ids, mask), mask), goals["short"][torch.from_numpy(rows).to(device)].float())
            if step % 3 == 0:
                rows = next(lengthy)
                ids, mask = long.batch(rows)
                losses["long"] = options.english * kept(pool(model(ids, mask), mask), goals["long"][torch.from_numpy(rows).to(device)].float())
            by_vectors, by_tokens = found(pairs, next(alike if step % 4 == 0 else mixed))
            losses["pairs"], losses["pairs tokens"] = 0.3 * by_vectors, 0.2 * by_tokens
            if neighbours and step % 10 == 0:
                by_vectors, by_tokens = found(written, next(neighbours))
                losses["written"], losses["written tokens"] = 0.5 * by_vectors, 0.3 * by_tokens
        optimizer.zero_grad(set_to_none=True)
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        with torch.no_grad():
            keep = min(0.999, (step + 1) / (step + 10))
            torch._foreach_lerp_(list(mean.values()), [value.detach() for value in model.weights.values()], 1 - keep)
        if step % 25 == 0 or step < 4:
            for name, value in losses.items():
                sums[name] = value.item() if name not in sums else 0.7 * sums[name] + 0.3 * value.item()
        if step in (3, 25) or step % 250 == 0:
            say("step", step, f"{step / (time.time() - training):.2f}/s, {progress:.2f};", f"cosine {cosine.item():.3f};", {name: round(value, 3) for name, value in sums.items()})
        if time.time() - saved > 120:
            save(model, mean, options.out, options.part)
            saved = time.time()
    save(model, mean, options.out, options.part)
    say("step", step, "saved")


if __name__ == "__main__":
    main()
