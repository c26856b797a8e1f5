"""Writes the model folder the server loads: an ONNX graph made by hand, quantised, with config, pooling and manifest.

Weights are 7-bit integers, one scale per output; activations are uint8 with scales that calibration fixed beforehand. So a
row never depends on another row or its padding: a text has one vector whatever the batch. 7 bits, because 2 x 255 x 63 fits
in 16 bits: processors without VNNI instructions add in 16 bits, saturate at 8-bit weights, and would give other vectors.
Scheme dynamic (one scale over the whole batch) breaks the promise; it is here to be compared with, as is float.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from transformers import AutoModel

CONTRIB = "com.microsoft"
# Shares of the seen range that a scale may cover; what lies beyond is cut.
SHARES = (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)


class Range:
    """What calibration learned of one activation: a divisor per channel (smoothing), then scale and zero point of uint8."""

    def __init__(self, values: np.ndarray, weights: np.ndarray | None):
        """`values` [tokens, channels]; `weights` [out, channels] reads them, or None where smoothing would gain too little."""
        self.divisor, importance = np.ones(values.shape[1], np.float32), np.ones(values.shape[1], np.float32)
        if weights is not None:
            # The square root shares the outliers between activations and weights.
            self.divisor = np.sqrt(np.maximum(np.quantile(np.abs(values), 0.9995, axis=0), 1e-3)).astype(np.float32)
            self.divisor /= np.exp(np.log(self.divisor).mean())
            importance = ((weights * self.divisor) ** 2).sum(0)
        scaled = values / self.divisor
        part = scaled[:: max(1, len(scaled) // 1500)]
        low, high = min(float(scaled.min()), 0.0), max(float(scaled.max()), 0.0)
        tries = []
        for above in SHARES:
            for below in SHARES if low < -0.3 else (1.0,):
                scale = (high * above - low * below) / 255
                zero = float(np.clip(np.rint(-low * below / scale), 0, 255))
                near = (np.clip(np.rint(part / scale) + zero, 0, 255) - zero) * scale
                tries.append((float(((near - part) ** 2 * importance).mean()), scale, zero))
        _, self.scale, self.zero = min(tries)


@torch.no_grad()
def calibrate(bert, tokenizer, texts: list[str]) -> dict[str, np.ndarray]:
    """Inputs of every matrix product over `texts`, one text at a time: name of the module -> [tokens, channels]."""
    seen: dict[str, list[np.ndarray]] = {}
    hooks = []
    for name, module in bert.named_modules():
        if isinstance(module, torch.nn.Linear) and not name.endswith((".key", ".value")):
            hooks.append(module.register_forward_pre_hook(lambda _, inputs, name=name: seen.setdefault(name, []).append(inputs[0][0].numpy().astype(np.float32))))
    for text in texts:
        ids = torch.tensor([tokenizer.encode(text).ids])
        bert(input_ids=ids, attention_mask=torch.ones_like(ids))
    for hook in hooks:
        hook.remove()
    return {name: np.concatenate(rows) for name, rows in seen.items()}


class Graph:
    """Nodes and constants of the encoder, in the order they run."""

    def __init__(self, scheme: str, seen: dict[str, np.ndarray]):
        self.scheme, self.seen, self.nodes, self.constants, self.names = scheme, seen, [], [], set()

    def constant(self, name: str, value: np.ndarray) -> str:
        if name not in self.names:
            self.names.add(name)
            self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], name: str, outputs: list[str] | None = None, domain: str = "", **attributes) -> str:
        outputs = outputs or [name]
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs[0]

    def quantised(self, source: str, weight: np.ndarray, name: str, module: str, smooth: bool) -> tuple[str, np.ndarray]:
        """Name of the uint8 activation, and the weight that takes the smoothing back."""
        span = Range(self.seen[module], weight if smooth else None)
        if smooth:
            source = self.node("Mul", [source, self.constant(name + ".smooth", 1 / span.divisor)], name + ".smoothed")
        scale, zero = self.constant(name + ".s", np.float32(span.scale)), self.constant(name + ".z", np.uint8(span.zero))
        return self.node("QuantizeLinear", [source, scale, zero], name + ".q"), weight * span.divisor

    def weight(self, weight: np.ndarray, name: str, levels: int) -> tuple[str, str, str]:
        """Constants [in, out] int8, its scales [out], its zero points [out]; `weight` is [out, in] as PyTorch keeps it."""
        scale = np.maximum(np.abs(weight).max(1) / levels, 1e-10).astype(np.float32)
        packed = np.rint(weight / scale[:, None]).astype(np.int8).T
        return self.constant(name + ".weight", packed), self.constant(name + ".scales", scale), self.constant(name + ".zeros", np.zeros(len(scale), np.int8))

    def dense(self, source: str, weight: np.ndarray, bias: np.ndarray, name: str, module: str, smooth: bool = False) -> str:
        if self.scheme == "float":
            product = self.node("MatMul", [source, self.constant(name + ".weight", weight.T)], name + ".product")
            return self.node("Add", [product, self.constant(name + ".bias", bias)], name)
        if self.scheme == "dynamic":
            self.node("DynamicQuantizeLinear", [source], name + ".quantise", [name + ".q", name + ".s", name + ".z"])
            packed, scales, zeros = self.weight(weight, name, 127)
        else:
            _, weight = self.quantised(source, weight, name, module, smooth)
            packed, scales, zeros = self.weight(weight, name, 63)
        inputs = [name + ".q", packed, name + ".s", scales, name + ".z", zeros, self.constant(name + ".bias", bias)]
        return self.node("MatMulIntegerToFloat", inputs, name, domain=CONTRIB)

    def attention(self, source: str, weight: np.ndarray, bias: np.ndarray, name: str, module: str, heads: int) -> str:
        """Self-attention with `weight` [3 x hidden, hidden] for query, key and value; padding is masked by "mask"."""
        if self.scheme == "static":
            whole, weight = self.quantised(source, weight, name, module, True)
            packed, scales, zeros = self.weight(weight, name, 63)
            inputs = [whole, packed, self.constant(name + ".bias", bias), name + ".s", scales, "mask", name + ".z", zeros]
            return self.node("QAttention", inputs, name, domain=CONTRIB, num_heads=heads)
        joined = self.dense(source, weight, bias, name + ".qkv", module)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self.node("Split", [joined], name + ".split", parts, axis=-1, num_outputs=3)
        return self.node("MultiHeadAttention", [*parts, "", "mask"], name, domain=CONTRIB, num_heads=heads)

    def norm(self, inputs: list[str], weights: dict[str, np.ndarray], key: str, epsilon: float) -> str:
        """LayerNormalization of the sum. The sum is a Sum: ONNX Runtime fuses an Add into SkipLayerNormalization, five times slower."""
        total = self.node("Sum", inputs, key + ".sum")
        return self.node("LayerNormalization", [total, *(self.constant(f"{key}.{part}", weights[f"{key}.{part}"]) for part in ("weight", "bias"))], key, axis=-1, epsilon=epsilon)


def build(weights: dict[str, np.ndarray], config, scheme: str, seen: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = Graph(scheme, seen)
    epsilon = config.layer_norm_eps

    words = weights["embeddings.word_embeddings.weight"]
    if scheme == "float":
        word = graph.node("Gather", [graph.constant("words", words), "input_ids"], "word")
    else:
        scales = np.maximum(np.abs(words).max(1, keepdims=True) / 127, 1e-10).astype(np.float32)
        rows = graph.node("Gather", [graph.constant("words", np.rint(words / scales).astype(np.int8)), "input_ids"], "word.rows")
        row_scales = graph.node("Gather", [graph.constant("words.scales", scales), "input_ids"], "word.scales")
        word = graph.node("Mul", [graph.node("Cast", [rows], "word.cast", to=TensorProto.FLOAT), row_scales], "word")
    # Every text is one segment, so the segment embedding is part of the position embedding.
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    shape = graph.node("Shape", ["input_ids"], "shape")
    length = graph.node("Slice", [shape, graph.constant("one", np.array([1], np.int64)), graph.constant("two", np.array([2], np.int64))], "length")
    table = graph.constant("positions", places.astype(np.float32 if scheme == "float" else np.float16))
    if scheme != "float":
        table = graph.node("Cast", [table], "positions.cast", to=TensorProto.FLOAT)
    place = graph.node("Slice", [table, graph.constant("zero", np.array([0], np.int64)), length, "zero"], "place")
    hidden = graph.norm([word, place], weights, "embeddings.LayerNorm", epsilon)
    graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)

    for layer in range(config.num_hidden_layers):
        at, name = f"encoder.layer.{layer}.", f"layer{layer}."
        matrix = lambda key: (weights[at + key + ".weight"], weights[at + key + ".bias"])  # noqa: E731
        three = [matrix(f"attention.self.{part}") for part in ("query", "key", "value")]
        weight, bias = np.concatenate([weight for weight, _ in three]), np.concatenate([bias for _, bias in three])
        mixed = graph.attention(hidden, weight, bias, name + "attention", at + "attention.self.query", config.num_attention_heads)
        mixed = graph.dense(mixed, *matrix("attention.output.dense"), name + "output", at + "attention.output.dense")
        hidden = graph.norm([mixed, hidden], weights, at + "attention.output.LayerNorm", epsilon)
        wide = graph.dense(hidden, *matrix("intermediate.dense"), name + "up", at + "intermediate.dense", smooth=True)
        wide = graph.node("Gelu", [wide], name + "gelu", domain=CONTRIB)
        narrow = graph.dense(wide, *matrix("output.dense"), name + "down", at + "output.dense", smooth=True)
        hidden = graph.norm([narrow, hidden], weights, at + "output.LayerNorm", epsilon)
    graph.nodes[-1].output[0] = "last_hidden_state"

    sides = ["batch", "sequence"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes, "memledger-embed",
            [helper.make_tensor_value_info(name, TensorProto.INT64, sides) for name in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*sides, config.hidden_size])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)], producer_name="memledger",
    )
    model.ir_version = 9
    return model


def manifest(folder: Path) -> dict:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != "manifest.json")
    return {
        "id": folder.name,
        "files": {str(file.relative_to(folder)): {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size} for file in files},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path, help="Hugging Face folder written by distil.py or finetune.py")
    parser.add_argument("--out", type=Path, required=True, help="the model folder")
    parser.add_argument("--scheme", choices=["static", "dynamic", "float"], default="static")
    parser.add_argument("--units", type=Path, help="texts to calibrate the static scheme with: source, text, tab-separated")
    parser.add_argument("--calibrate", type=int, default=600, help="how many of them, spread over the file")
    parser.add_argument("--max-length", type=int, default=512)
    parser.add_argument("--manifest-only", action="store_true", help="after the card was edited: write manifest.json again, nothing else")
    options = parser.parse_args()
    if not options.manifest_only:
        bert = AutoModel.from_pretrained(options.student, add_pooling_layer=False).eval()
        weights = {name: value.detach().to(torch.float32).numpy() for name, value in bert.state_dict().items()}
        (options.out / "onnx").mkdir(parents=True, exist_ok=True)
        (options.out / "1_Pooling").mkdir(exist_ok=True)
        name = "model.onnx" if options.scheme == "float" else "model_quantized.onnx"
        seen = {}
        if options.scheme == "static":
            texts = [line.rstrip("\n").split("\t")[1] for line in open(options.units)]
            tokenizer = Tokenizer.from_file(str(options.student / "tokenizer.json"))
            tokenizer.enable_truncation(128)
            seen = calibrate(bert, tokenizer, texts[:: max(1, len(texts) // options.calibrate)])
        onnx.save(build(weights, bert.config, options.scheme, seen), options.out / "onnx" / name)
        config = bert.config.to_dict()
        keep = ("architectures", "model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
                "hidden_act", "max_position_embeddings", "type_vocab_size", "layer_norm_eps", "pad_token_id")
        write(options.out / "config.json", {key: config[key] for key in keep})
        shutil.copy(options.student / "tokenizer.json", options.out)
        write(options.out / "tokenizer_config.json", {
            "tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": True, "strip_accents": True, "model_max_length": options.max_length,
            "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
        })
        write(options.out / "1_Pooling" / "config.json", {
            "word_embedding_dimension": config["hidden_size"], "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
            "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False,
        })
    write(options.out / "manifest.json", manifest(options.out))
    print(sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file()), "bytes")


def write(file: Path, value: dict) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n")


if __name__ == "__main__":
    main()
