"""An exported model with additional pieces (export.py, export_pieces.py) as a module that can be trained: its layers, its pieces, and the head of a
reranker. The embeddings of the known tokens stay as they are."""
import math
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional


def constants(file: Path) -> dict[str, np.ndarray]:
    return {item.name: numpy_helper.to_array(item) for item in onnx.load(file).graph.initializer}


class Whole(torch.nn.Module):
    """Ids and mask [texts, tokens] to hidden states [texts, tokens, width]. Parameters are float32; autocast decides what is computed with."""

    def __init__(self, folder: Path, head: Path, heads: int = 12):
        super().__init__()
        values = constants(folder / "onnx" / "model_quantized.onnx")
        tensor = lambda value: torch.from_numpy(np.array(value, np.float32))  # noqa: E731
        rows = lambda name: values[name].astype(np.float32) * values[name + ".scales"]  # noqa: E731
        self.heads = heads
        self.count = sum(name.endswith(".attention.weight") for name in values)
        self.register_buffer("words", tensor(rows("words")))
        # Names without dots, because parameters have no dots in their names.
        weights = {"positions": values["positions"], "pieces": rows("pieces"), "projection": values["pieces.projection"], "mean": values["pieces.mean"]}
        for layer in range(self.count):
            for name in ("attention", "output", "up", "down"):
                key = f"layer{layer}.{name}"
                # Weight [out, in]; the divisor of the activations becomes part of the weight again.
                weights[key + ".weight"] = values[key + ".weight"].astype(np.float32).T * values[key + ".scales"][:, None] * values.get(key + ".smooth", np.ones(1, np.float32))
                weights[key + ".bias"] = values[key + ".bias"]
        for name in self.norms():
            weights |= {f"{name}.{part}": values[f"{name}.{part}"] for part in ("weight", "bias")}
        weights["head"] = constants(head / "onnx" / "model.onnx")["projection"]
        self.weights = torch.nn.ParameterDict({name.replace(".", "/"): torch.nn.Parameter(tensor(value)) for name, value in weights.items()})

    def norms(self) -> list[str]:
        return ["embeddings.LayerNorm", *(f"encoder.layer.{layer}.{part}.LayerNorm" for layer in range(self.count) for part in ("attention.output", "output"))]

    def _linear(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(values, self.weights[f"{name.replace('.', '/')}/weight"], self.weights[f"{name.replace('.', '/')}/bias"])

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        key = name.replace(".", "/")
        return functional.layer_norm(values.float(), values.shape[-1:], self.weights[key + "/weight"], self.weights[key + "/bias"], 1e-12)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        texts, length = ids.shape
        first, width = self.words.shape
        # Few tokens of a batch are pieces, or nearly all of them are.
        long = functional.embedding((ids - first).clamp(min=0), self.weights["pieces"]).float() @ self.weights["projection"].float() + self.weights["mean"]
        tokens = torch.where((ids >= first)[..., None], long, functional.embedding(ids.clamp(max=first - 1), self.words))
        hidden = self._norm(tokens + self.weights["positions"][:length], "embeddings.LayerNorm")
        attended = mask[:, None, None, :]
        for layer in range(self.count):
            query, key, value = self._linear(hidden, f"layer{layer}.attention").view(texts, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=attended).transpose(1, 2).reshape(texts, length, width)
            hidden = self._norm(self._linear(mixed, f"layer{layer}.output") + hidden, f"encoder.layer.{layer}.attention.output.LayerNorm")
            wide = functional.gelu(self._linear(hidden, f"layer{layer}.up"))
            hidden = self._norm(self._linear(wide, f"layer{layer}.down") + hidden, f"encoder.layer.{layer}.output.LayerNorm")
        return hidden

    def token_vectors(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.normalize(functional.normalize(hidden, dim=-1) @ self.weights["head"], dim=-1)


def max_sim(left: torch.Tensor, counted: torch.Tensor, right: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
    """[left texts, right texts]: the mean over the `counted` tokens of a left text of the highest cosine with a token of a right text.
    `left` [texts, tokens, dimensions]; `counted` and `present` [texts, tokens]."""
    similar = torch.einsum("ald,brd->abrl", left, right).masked_fill(~present[None, :, :, None], -1.0)
    best = similar.amax(2)
    return (best * counted[:, None, :]).sum(2) / counted.sum(1).clamp(min=1)[:, None]


def schedule(step: int, progress: float) -> float:
    """Warm-up, then a cosine over `progress`, 0..1."""
    return min(1.0, (step + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, progress))))
