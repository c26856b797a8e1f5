"""Encodes units with the teacher: a float16 matrix beside the texts, in a shuffled order, so that any prefix is a fair sample.

A unit may carry a third column: the text whose vector it shall have, which is how a translation learns the place of its
English original. Resumes where it stopped; training may read the rows that are done.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel


class Teacher:
    """Sentence vectors of a BERT folder: mean pooling, L2-normalised."""

    def __init__(self, folder: Path, device: str, max_tokens: int = 256):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        self.model = AutoModel.from_pretrained(folder, attn_implementation="sdpa").to(device).eval()
        self.device = device

    @torch.no_grad()
    def encode(self, texts: list[str], batch_tokens: int = 4096) -> np.ndarray:
        """Float32 [len(texts), hidden]; batches hold about `batch_tokens` tokens of similar lengths."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.zeros((len(ids), self.model.config.hidden_size), np.float32)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and (end - start + 1) * len(ids[order[end]]) <= batch_tokens:
                end += 1
            rows, width = order[start:end], len(ids[order[end - 1]])
            batch = torch.tensor([ids[row] + [0] * (width - len(ids[row])) for row in rows], device=self.device)
            mask = torch.tensor([[1] * len(ids[row]) + [0] * (width - len(ids[row])) for row in rows], device=self.device)
            with torch.autocast(self.device, torch.bfloat16):
                hidden = self.model(input_ids=batch, attention_mask=mask).last_hidden_state
            pooled = (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors[rows] = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
            start = end
        return vectors


def cut(text: str, max_words: int) -> str:
    """The first `max_words` words: student and teacher see the same text."""
    run = text.split(" ")
    return text if len(run) <= max_words else " ".join(run[:max_words])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--units", type=Path, nargs="+", required=True, help="files of source, text and optionally the text to encode instead, tab-separated")
    parser.add_argument("--out", type=Path, required=True, help="writes texts.tsv, vectors.f16, done.json")
    parser.add_argument("--limit", type=int, default=0, help="encode only the first N of the shuffled units")
    parser.add_argument("--max-words", type=int, default=48)
    parser.add_argument("--long-share", type=float, default=0.04, help="share of units that keep up to four times as many words")
    parser.add_argument("--chunk", type=int, default=8192)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.set_num_threads(max(2, torch.get_num_threads()))

    lines = [line.rstrip("\n").split("\t") for file in options.units for line in open(file)]
    random.shuffle(lines)
    lines = lines[: options.limit or None]
    rows = [[source, *(cut(text, options.max_words * (4 if random.random() < options.long_share else 1)) for text in texts)] for source, *texts in lines]
    (options.out / "texts.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))

    state = options.out / "done.json"
    done = json.loads(state.read_text())["rows"] if state.exists() else 0
    teacher = Teacher(options.teacher, options.device)
    width = teacher.model.config.hidden_size
    file = options.out / "vectors.f16"
    vectors = np.memmap(file, np.float16, "r+" if file.exists() else "w+", shape=(len(rows), width))
    started, first = time.time(), done
    while done < len(rows):
        part = rows[done : done + options.chunk]
        found = teacher.encode([row[-1] for row in part])
        vectors[done : done + len(part)] = found
        vectors.flush()
        done += len(part)
        state.write_text(json.dumps({"rows": done, "of": len(rows)}))
        print(f"{done}/{len(rows)} {(done - first) / (time.time() - started):.0f}/s", flush=True)


if __name__ == "__main__":
    main()
