"""Fine-tunes the student on three tasks in every step, so that none is forgotten for another:

distil    the teacher's vectors, as in distil.py
pairs     a question finds its statement among the others of the batch (in-batch negatives, loose sources weigh less)
contrast  texts that differ in one thing stay apart, texts that say the same stay together, both with a margin; left out without --contrast
Resumes from --out/resume.pt. Writes the averaged weights.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.nn.functional import relu

from distil import distillation
from student import Encoded, Encoder, Schedule, batches

LOOSE = {"question-response": 0.3, "persona-line": 0.5, "same-image": 0.4, "statement-reason": 0.4, "heading": 0.6, "subject-body": 0.6, "title-body": 0.6, "word-definition": 0.5}
# Least cosine of what says the same, and most of what does not.
FLOOR = {"trivial": 0.99, "filler": 0.95}
FLOOR_ELSE, CEILING = 0.96, {"changed": 0.86, "different": 0.82}

# Share of the contrast pairs of a kind that a pass takes.
SHARE = {"frame": 0.4, "frame slot": 0.2, "frame turned": 0.3, "negation": 0.3, "name": 0.2, "trivial": 0.3, "filler": 0.4, "digits permuted": 1.0, "opposite": 1.0, "number": 1.0, "colour": 1.0}


def pair_batches(files: list[Path], conversations: Path, size: int, share: float) -> Iterator[tuple[list[str], list[str], torch.Tensor]]:
    """Left texts, right texts, weights. A `share` of the batches is consecutive lines of `conversations`, the rest is mixed."""
    mixed = [line.rstrip("\n").split("\t") for file in files for line in open(file)]
    random.shuffle(mixed)
    blocks = [line.rstrip("\n").split("\t") for line in open(conversations)]
    at = 0
    while True:
        if random.random() < share:
            start = random.randrange(len(blocks) - size)
            rows = blocks[start : start + size]
        else:
            rows, at = mixed[at : at + size], at + size
            if len(rows) < size:
                at = 0
                continue
        unique = list({row[1]: row for row in {row[0]: row for row in rows}.values()}.values())
        yield [row[0][:200] for row in unique], [row[1][:240] for row in unique], torch.tensor([LOOSE.get(row[2].split("/")[-1], 1.0) for row in unique])


def contrast_batches(file: Path, size: int) -> Iterator[list[list[str]]]:
    rows = [line.rstrip("\n").split("\t") for line in open(file)]
    while True:
        random.shuffle(rows)
        # Templates and what is close to them are learned soon, order in real sentences is not.
        part = [row for row in rows if random.random() < (1.0 if "swapped" in row[1] else SHARE.get(row[1], 0.6))]
        for at in range(0, len(part) - size + 1, size):
            yield part[at : at + size]


def ranking(left: torch.Tensor, right: torch.Tensor, weights: torch.Tensor, temperature: float = 0.05) -> torch.Tensor:
    """Cross-entropy of finding the own partner, both ways; a stranger that lies closer than the partner by far is left out as a likely twin."""
    scores = left @ right.T
    own = scores.diagonal()
    twins = (scores > own[:, None] + 0.1) & ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    scores = (scores / temperature).masked_fill(twins, -1e4)
    forward = -scores.log_softmax(1).diagonal()
    backward = -scores.log_softmax(0).diagonal()
    return ((forward + 0.5 * backward) * weights).sum() / weights.sum()


def margins(a: torch.Tensor, b: torch.Tensor, rows: list[list[str]]) -> torch.Tensor:
    cosine = (a * b).sum(-1)
    floor = torch.tensor([FLOOR.get(kind, FLOOR_ELSE) if label == "same" else -1.0 for label, kind, _, _ in rows], device=a.device)
    ceiling = torch.tensor([CEILING.get(label, 1.0) for label, *_ in rows], device=a.device)
    return (relu(floor - cosine) + relu(cosine - ceiling) + 4 * relu(cosine - ceiling - 0.08)).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path, required=True, help="folder written by distil.py")
    parser.add_argument("--encoded", type=Path, nargs="+", required=True, help="folders written by encode_teacher.py")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="pairs.tsv of select_text.py, questions.tsv of register.py")
    parser.add_argument("--conversations", type=Path, required=True, help="questions.tsv of register.py")
    parser.add_argument("--contrast", type=Path, help="contrast.tsv of contrast.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=64, help="texts to distil, per step")
    parser.add_argument("--pair-batch", type=int, default=48)
    parser.add_argument("--contrast-batch", type=int, default=48)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--weights", type=float, nargs=3, default=[1.0, 0.25, 4.0], help="of distil, pairs, contrast")
    parser.add_argument("--conversation-share", type=float, default=0.4)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--save-every", type=int, default=250)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(max(2, torch.get_num_threads()))

    if not (options.out / "config.json").exists():
        shutil.copytree(options.student, options.out, ignore=shutil.ignore_patterns("resume.*"))
    encoder = Encoder(options.out, options.device, options.max_tokens)
    schedule = Schedule(encoder, options.rate, options.steps, options.out / "resume.pt")
    random.seed(options.seed + schedule.step)
    parts = [Encoded(folder) for folder in options.encoded]
    held = torch.from_numpy(parts[0].vectors[: parts[0].held_out].astype("float32"))
    units = batches(parts, encoder, options.batch)
    pairs = pair_batches(options.pairs, options.conversations, options.pair_batch, options.conversation_share)
    contrast = contrast_batches(options.contrast, options.contrast_batch) if options.contrast else None
    totals = [0.0, 0.0, 0.0]
    while schedule.step < options.steps:
        ids, target = next(units)
        left, right, weights = next(pairs)
        losses = [
            distillation(encoder(ids), target),
            ranking(encoder(encoder.ids(left)), encoder(encoder.ids(right)), weights.to(options.device)),
        ]
        if contrast:
            rows = next(contrast)
            a, b = encoder(encoder.ids([row[2] for row in rows] + [row[3] for row in rows])).chunk(2)
            losses.append(margins(a, b, rows))
        schedule.apply(sum(weight * loss for weight, loss in zip(options.weights, losses)))
        totals = [total + loss.item() for total, loss in zip(totals, [*losses, torch.zeros(())])]
        if schedule.step % 50 == 0:
            print(f"step {schedule.step}/{options.steps} distil {totals[0] / 50:.4f} pairs {totals[1] / 50:.4f} contrast {totals[2] / 50:.4f} {schedule.speed():.2f} steps/s", flush=True)
            totals = [0.0, 0.0, 0.0]
        if schedule.step % options.save_every == 0 or schedule.step == options.steps:
            schedule.save(options.out)
            encoder.tokenizer.enable_truncation(options.max_tokens)
            cosine = (torch.from_numpy(encoder.encode(parts[0].texts[: parts[0].held_out])) * held).sum(-1).mean().item()
            print(f"saved at {schedule.step}: held-out cosine {cosine:.4f}", flush=True)


if __name__ == "__main__":
    main()
