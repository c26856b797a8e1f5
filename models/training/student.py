"""The student: a small BERT that starts from the teacher's layers, its batches, its checkpoints. Owns no loss."""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel, BertConfig, BertModel


def start_from(teacher_folder: Path, tokenizer_folder: Path, layers: list[int], inner: int, texts: list[str]) -> BertModel:
    """A student of the teacher's `layers`; a word embedding is the teacher's own, or the mean over its pieces of that token.

    Each feed-forward block keeps the `inner` neurons that contribute most on `texts`; the mean of the others joins the bias.
    """
    teacher = AutoModel.from_pretrained(teacher_folder)
    theirs = Tokenizer.from_file(str(teacher_folder / "tokenizer.json"))
    theirs.no_padding()
    theirs.no_truncation()
    ours = Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json")).get_vocab()
    known = theirs.get_vocab()
    words = teacher.embeddings.word_embeddings.weight.detach()
    centre, spread = words.mean(0), words.std(0)
    mapped = torch.empty(len(ours), words.shape[1])
    generator = torch.Generator().manual_seed(7)
    for token, row in ours.items():
        bare = token.removeprefix("##")
        pieces = [known[token]] if token in known else theirs.encode(bare, add_special_tokens=False).ids
        pieces = [piece for piece in pieces if piece != known["[UNK]"]] if token not in known else pieces
        mapped[row] = words[pieces].mean(0) if pieces else centre + spread * torch.randn(len(centre), generator=generator)
        if token not in known:  # distinct tokens of the same pieces must not share one vector
            mapped[row] += 0.1 * spread * torch.randn(len(centre), generator=generator)

    shape = teacher.config
    student = BertModel(BertConfig(
        vocab_size=len(ours), hidden_size=shape.hidden_size, num_hidden_layers=len(layers), num_attention_heads=shape.num_attention_heads,
        intermediate_size=inner, hidden_act="gelu", max_position_embeddings=shape.max_position_embeddings,
        type_vocab_size=shape.type_vocab_size, layer_norm_eps=shape.layer_norm_eps, pad_token_id=0,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ), add_pooling_layer=False)
    student.embeddings.load_state_dict({**teacher.embeddings.state_dict(), "word_embeddings.weight": mapped})
    activity = neuron_activity(teacher, theirs, texts) if inner < shape.intermediate_size else None
    for position, layer in enumerate(layers):
        state = teacher.encoder.layer[layer].state_dict()
        if activity:
            rows = activity[layer]
            down = state["output.dense.weight"]
            keep = (rows.var(0) * down.square().sum(0)).topk(inner).indices.sort().values
            gone = torch.ones(down.shape[1], dtype=torch.bool)
            gone[keep] = False
            state["output.dense.bias"] = state["output.dense.bias"] + down[:, gone] @ rows[:, gone].mean(0)
            state["output.dense.weight"] = down[:, keep]
            state["intermediate.dense.weight"] = state["intermediate.dense.weight"][keep]
            state["intermediate.dense.bias"] = state["intermediate.dense.bias"][keep]
        student.encoder.layer[position].load_state_dict(state)
    return student


@torch.no_grad()
def neuron_activity(teacher: BertModel, tokenizer: Tokenizer, texts: list[str]) -> list[torch.Tensor]:
    """Outputs of the feed-forward neurons over `texts`: per layer [tokens, neurons]."""
    seen: list[list[torch.Tensor]] = [[] for _ in teacher.encoder.layer]
    hooks = [
        layer.intermediate.register_forward_hook(lambda _, __, output, index=index: seen[index].append(output[0]))
        for index, layer in enumerate(teacher.encoder.layer)
    ]
    for text in texts:
        ids = torch.tensor([tokenizer.encode(text).ids[:128]])
        teacher(input_ids=ids, attention_mask=torch.ones_like(ids))
    for hook in hooks:
        hook.remove()
    return [torch.cat(rows) for rows in seen]


class Encoder(torch.nn.Module):
    """Texts to unit vectors: tokenizer, BERT, mean pooling."""

    def __init__(self, folder: Path, device: str, max_tokens: int):
        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        self.bert = AutoModel.from_pretrained(folder, attn_implementation="eager", add_pooling_layer=False).to(device)
        self.device = device

    def ids(self, texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def forward(self, ids: list[list[int]]) -> torch.Tensor:
        """Float32 [len(ids), hidden], L2-normalised."""
        width = max(map(len, ids))
        batch = torch.tensor([row + [0] * (width - len(row)) for row in ids], device=self.device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids], device=self.device)
        with torch.autocast(self.device, torch.bfloat16):
            hidden = self.bert(input_ids=batch, attention_mask=mask).last_hidden_state
        pooled = (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.nn.functional.normalize(pooled, dim=-1)

    @torch.no_grad()
    def encode(self, texts: list[str], batch: int = 128) -> np.ndarray:
        ids = self.ids(texts)
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.zeros((len(ids), self.bert.config.hidden_size), np.float32)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            vectors[rows] = self([ids[row] for row in rows]).cpu().numpy()
        return vectors


class Encoded:
    """Texts with their teacher vectors, as written by encode_teacher.py; the first `held_out` rows are never trained on."""

    def __init__(self, folder: Path, held_out: int = 1024):
        self.folder, self.held_out = folder, held_out
        self.texts = [line.rstrip("\n").split("\t")[1] for line in open(folder / "texts.tsv")]
        self.vectors = np.memmap(folder / "vectors.f16", np.float16, "r").reshape(len(self.texts), -1)

    def rows(self) -> int:
        return json.loads((self.folder / "done.json").read_text())["rows"]


def batches(parts: list[Encoded], encoder: Encoder, size: int, chunk_batches: int = 48) -> Iterator[tuple[list[list[int]], torch.Tensor]]:
    """Endless batches of token ids and teacher vectors, of all `parts` by their sizes, similar lengths together."""
    starts = [part.held_out for part in parts]
    while True:
        texts, targets = [], []
        total = sum(part.rows() for part in parts)
        for index, part in enumerate(parts):
            rows = part.rows()
            end = starts[index] + max(1, round(size * chunk_batches * rows / total))
            if end > rows:
                starts[index], end = part.held_out, part.held_out + end - starts[index]
            texts += part.texts[starts[index] : end]
            targets.append(np.asarray(part.vectors[starts[index] : end], np.float32))
            starts[index] = end
        target, ids = torch.from_numpy(np.concatenate(targets)), encoder.ids(texts)
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]) + random.random())
        groups = [order[at : at + size] for at in range(0, len(order) - size + 1, size)]
        random.shuffle(groups)
        for group in groups:
            yield [ids[row] for row in group], target[group].to(encoder.device)


class Schedule:
    """AdamW with warm-up and cosine decay over `steps`, an exponential mean of the weights, and a resume file."""

    def __init__(self, encoder: Encoder, rate: float, steps: int, file: Path, ema: float = 0.998):
        self.encoder, self.rate, self.steps, self.file, self.ema = encoder, rate, steps, file, ema
        plain = [p for p in encoder.parameters() if p.ndim < 2]
        heavy = [p for p in encoder.parameters() if p.ndim >= 2]
        self.optimizer = torch.optim.AdamW([{"params": heavy, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=rate, betas=(0.9, 0.98), fused=True)
        self.mean = {name: value.detach().clone() for name, value in encoder.bert.state_dict().items()}
        self.step, self.started = 0, time.time()
        if file.exists():
            state = torch.load(file, map_location=encoder.device, weights_only=True)
            encoder.bert.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.mean, self.step = state["mean"], state["step"]
            print("resumed at step", self.step, flush=True)
        self.first = self.step

    def apply(self, loss: torch.Tensor) -> None:
        warm = min(1.0, (self.step + 1) / min(500, self.steps / 10 + 1))
        rate = self.rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / self.steps))))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        keep = min(self.ema, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            for name, value in self.encoder.bert.state_dict().items():
                self.mean[name].lerp_(value, 1 - keep) if value.is_floating_point() else self.mean[name].copy_(value)

    def save(self, out: Path) -> None:
        """The resume file, and the averaged model as a Hugging Face folder at `out`."""
        part = self.file.with_suffix(".part")
        torch.save({"model": self.encoder.bert.state_dict(), "optimizer": self.optimizer.state_dict(), "mean": self.mean, "step": self.step}, part)
        part.replace(self.file)
        now = {name: value.clone() for name, value in self.encoder.bert.state_dict().items()}
        self.encoder.bert.load_state_dict(self.mean)
        self.encoder.bert.save_pretrained(out)
        self.encoder.tokenizer.no_truncation()
        self.encoder.tokenizer.save(str(out / "tokenizer.json"), pretty=False)
        self.encoder.bert.load_state_dict(now)

    def speed(self) -> float:
        return (self.step - self.first) / (time.time() - self.started)
