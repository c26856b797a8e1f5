"""Measures a model folder (ONNX or PyTorch), with the teacher beside it when named: STS-B dev, LoCoMo dev, the pair set, bitext."""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from tokenizers import Tokenizer

from corpus import locomo, stsb


class Model:
    """Sentence vectors of a folder: onnx/model_quantized.onnx or onnx/model.onnx when there, else the PyTorch weights."""

    def __init__(self, folder: Path, max_tokens: int = 256, threads: int = 2):
        self.folder = folder
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        files = [folder / "onnx" / name for name in ("model_quantized.onnx", "model.onnx") if (folder / "onnx" / name).exists()]
        if files:
            import onnxruntime

            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads = threads
            self.session = onnxruntime.InferenceSession(str(files[0]), settings, providers=["CPUExecutionProvider"])
            self.inputs = [item.name for item in self.session.get_inputs()]
        else:
            import torch
            from transformers import AutoModel

            self.session, self.torch = None, torch
            self.bert = AutoModel.from_pretrained(folder).eval()

    def hidden(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if self.session:
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            return self.session.run(["last_hidden_state"], {name: feed[name] for name in self.inputs})[0]
        with self.torch.no_grad():
            return self.bert(input_ids=self.torch.from_numpy(ids), attention_mask=self.torch.from_numpy(mask)).last_hidden_state.numpy()

    def encode(self, texts: list[str], batch: int = 32) -> np.ndarray:
        """Float32 [len(texts), hidden], L2-normalised."""
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        vectors = [np.zeros(0, np.float32)] * len(rows)
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            width = max(len(rows[index]) for index in part)
            ids = np.array([rows[index] + [0] * (width - len(rows[index])) for index in part], np.int64)
            mask = np.array([[1] * len(rows[index]) + [0] * (width - len(rows[index])) for index in part], np.int64)
            pooled = (self.hidden(ids, mask) * mask[..., None]).sum(1)
            pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
            for index, vector in zip(part, pooled, strict=True):
                vectors[index] = vector
        return np.stack(vectors)


def spearman(model: Model, folder: Path) -> float:
    rows = stsb(folder)
    left, right = model.encode([row[0] for row in rows]), model.encode([row[1] for row in rows])
    return float(spearmanr((left * right).sum(1), [row[2] for row in rows]).statistic)


def retrieval(model: Model, folder: Path, dated: bool = True) -> dict[str, float]:
    """One pool per conversation, each turn a memory `[date] text`: any evidence among the first k, and the mean reciprocal rank."""
    ranks = []
    for conversation in locomo(folder):
        turns = conversation["turns"]
        memory = model.encode([f"[{turn['date']}] {turn['text']}" if dated else turn["text"] for turn in turns])
        where = {turn["id"]: index for index, turn in enumerate(turns)}
        questions = model.encode([item["question"] for item in conversation["questions"]])
        for scores, item in zip(questions @ memory.T, conversation["questions"], strict=True):
            found = [where[name] for name in item["evidence"] if name in where]
            order = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
            ranks.append(min((order[index] for index in found), default=10**6))
    ranks = np.array(ranks)
    return {**{f"hit@{k}": float((ranks < k).mean()) for k in (1, 5, 10, 20)}, "MRR": float((1 / (ranks + 1)).mean())}


def pair_set(model: Model, file: Path) -> dict[str, object]:
    """Columns of `file`: label (same, changed, different), kind, a, b. Counts the pairs that reach 0.98 and 0.90, per label."""
    with open(file, newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    cosine = (model.encode([row["a"] for row in rows]) * model.encode([row["b"] for row in rows])).sum(1)
    result: dict[str, object] = {}
    for label in ("same", "changed", "different"):
        part = np.array([value for value, row in zip(cosine, rows, strict=True) if row["label"] == label])
        result[label] = {"pairs": len(part), ">=0.98": int((part >= 0.98).sum()), ">=0.90": int((part >= 0.90).sum()), "mean": float(part.mean()), "max": float(part.max())}
    worst = sorted(((float(value), row["a"], row["b"]) for value, row in zip(cosine, rows, strict=True) if row["label"] != "same"), reverse=True)[:5]
    return {**result, "closest": worst}


def translations(model: Model, file: Path) -> dict[str, float]:
    """Columns of `file`: a (English), b, source. Share of b whose nearest English sentence is its own, within its source."""
    groups: dict[str, list[list[str]]] = {}
    for line in open(file):
        a, b, source = line.rstrip("\n").split("\t")
        groups.setdefault(source, []).append([a, b])
    result = {}
    for source, rows in groups.items():
        scores = model.encode([row[1] for row in rows]) @ model.encode([row[0] for row in rows]).T
        result[source] = float((scores.argmax(1) == np.arange(len(rows))).mean())
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, nargs="+", required=True, help="model folders, side by side")
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, default=Path(__file__).parent / "pairs-test.tsv")
    parser.add_argument("--bitext", type=Path, help="pairs kept out of training")
    parser.add_argument("--max-tokens", type=int, default=256)
    options = parser.parse_args()
    for folder in options.model:
        model = Model(folder, options.max_tokens)
        figures = {"STS-B": spearman(model, options.eval), "LoCoMo": retrieval(model, options.eval)}
        if options.pairs.exists():
            figures["pairs"] = pair_set(model, options.pairs)
        if options.bitext:
            figures["bitext"] = translations(model, options.bitext)
        print(folder, json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
