"""The layers of an exported model in PyTorch, read from its ONNX file (export.py, scheme static). They are not trained here."""
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from pathlib import Path
from torch.nn import functional


class Layers(torch.nn.Module):
    """Embeddings of tokens [texts, tokens, width] to hidden states of the same shape. `words` are the embeddings of the known tokens."""

    def __init__(self, folder: Path, heads: int = 12):
        super().__init__()
        graph = onnx.load(folder / "onnx" / "model_quantized.onnx").graph
        self.values = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
        self.heads = heads
        self.words = torch.from_numpy(self.values["words"].astype(np.float32) * self.values["words.scales"])
        self.positions = torch.from_numpy(self.values["positions"].astype(np.float32))
        self.count = sum(name.endswith(".attention.weight") for name in self.values)
        self.dense = {f"layer{layer}.{name}": self._dense(f"layer{layer}.{name}") for layer in range(self.count) for name in ("attention", "output", "up", "down")}
        self.norms = {name: [torch.from_numpy(self.values[f"{name}.{part}"].copy()) for part in ("weight", "bias")]
                      for name in ["embeddings.LayerNorm", *(f"encoder.layer.{layer}.{part}.LayerNorm" for layer in range(self.count) for part in ("attention.output", "output"))]}
        del self.values

    def _dense(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight [out, in] and bias, in bfloat16. The divisor of the activations is part of the weight again."""
        weight = self.values[name + ".weight"].astype(np.float32).T * self.values[name + ".scales"][:, None]
        if name + ".smooth" in self.values:
            weight = weight * self.values[name + ".smooth"]
        return torch.tensor(weight, dtype=torch.bfloat16), torch.tensor(self.values[name + ".bias"], dtype=torch.bfloat16)

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return functional.layer_norm(values, values.shape[-1:], *self.norms[name], 1e-12)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        texts, length, width = tokens.shape
        linear = lambda values, name: functional.linear(values.to(torch.bfloat16), *self.dense[name])  # noqa: E731
        hidden = self._norm(tokens + self.positions[:length], "embeddings.LayerNorm")
        padding = torch.zeros(texts, 1, 1, length, dtype=torch.bfloat16).masked_fill(~mask[:, None, None, :], -1e4)
        for layer in range(self.count):
            query, key, value = linear(hidden, f"layer{layer}.attention").view(texts, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            weights = (query @ key.transpose(-1, -2)) * (width // self.heads) ** -0.5 + padding
            mixed = (weights.softmax(-1) @ value).transpose(1, 2).reshape(texts, length, width)
            hidden = self._norm(linear(mixed, f"layer{layer}.output").float() + hidden, f"encoder.layer.{layer}.attention.output.LayerNorm")
            wide = functional.gelu(linear(hidden, f"layer{layer}.up"))
            hidden = self._norm(linear(wide, f"layer{layer}.down").float() + hidden, f"encoder.layer.{layer}.output.LayerNorm")
        return hidden


def pool(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean of each text's tokens, L2-normalised."""
    return functional.normalize((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
