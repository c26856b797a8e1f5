"""Distils the teacher into the student: every vector, and how the vectors of a batch lie to each other.

Starts from the teacher's own layers unless --from names a student. Resumes from --out/resume.pt. Writes the averaged weights.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import random
import shutil
from pathlib import Path

import torch

from student import Encoded, Encoder, Schedule, batches, start_from


def distillation(student: torch.Tensor, teacher: torch.Tensor, temperature: float = 0.05) -> torch.Tensor:
    """1 - cosine, and the KL divergence of the rows of the similarity matrices: [batch, hidden] twice, both of unit length."""
    cosine = 1 - (student * teacher).sum(-1).mean()
    away = torch.eye(len(student), device=student.device, dtype=torch.bool)
    ours = (student @ student.T / temperature).masked_fill(away, -1e4).log_softmax(-1)
    theirs = (teacher @ teacher.T / temperature).masked_fill(away, -1e4).softmax(-1)
    crossed = (student @ teacher.T / temperature).log_softmax(-1).diagonal().mean()
    structure = torch.nn.functional.kl_div(ours, theirs, reduction="batchmean")
    return 4 * cosine + 0.5 * structure - 0.1 * crossed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoded", type=Path, nargs="+", required=True, help="folders written by encode_teacher.py")
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder with our tokenizer.json")
    parser.add_argument("--out", type=Path, required=True, help="Hugging Face folder of the student")
    parser.add_argument("--from", dest="start", type=Path, help="a student to go on from, instead of the teacher's layers")
    parser.add_argument("--layers", default="0,2,3,5", help="which of the teacher's layers to start from")
    parser.add_argument("--inner", type=int, default=768, help="neurons that each feed-forward block keeps")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--save-every", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    torch.set_num_threads(max(2, torch.get_num_threads()))

    parts = [Encoded(folder) for folder in options.encoded]
    encoded = parts[0]
    if not (options.out / "config.json").exists():
        options.out.mkdir(parents=True, exist_ok=True)
        if options.start:
            shutil.copytree(options.start, options.out, dirs_exist_ok=True)
        else:
            layers = [int(layer) for layer in options.layers.split(",")]
            start_from(options.teacher, options.tokenizer, layers, options.inner, encoded.texts[:400]).save_pretrained(options.out)
            shutil.copy(options.tokenizer / "tokenizer.json", options.out)
    encoder = Encoder(options.out, options.device, options.max_tokens)
    schedule = Schedule(encoder, options.rate, options.steps, options.out / "resume.pt")
    random.seed(options.seed + schedule.step)
    held = torch.from_numpy(encoded.vectors[: encoded.held_out].astype("float32"))
    source = batches(parts, encoder, options.batch)
    for _ in range(schedule.step):  # a resumed run goes on in the text where it stopped
        next(source)
    total = 0.0
    while schedule.step < options.steps:
        ids, target = next(source)
        loss = distillation(encoder(ids), target)
        schedule.apply(loss)
        total += loss.item()
        if schedule.step % 100 == 0:
            print(f"step {schedule.step}/{options.steps} loss {total / 100:.4f} {schedule.speed() * options.batch:.0f}/s", flush=True)
            total = 0.0
        if schedule.step % options.save_every == 0 or schedule.step == options.steps:
            schedule.save(options.out)
            encoder.tokenizer.enable_truncation(options.max_tokens)
            cosine = (torch.from_numpy(encoder.encode(encoded.texts[: encoded.held_out])) * held).sum(-1).mean().item()
            print(f"saved at {schedule.step}: held-out cosine {cosine:.4f}", flush=True)


if __name__ == "__main__":
    main()
