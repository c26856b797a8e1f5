"""Writes a model folder: the weights of tune_whole.py mixed with those of the model that it began with, and quantised.

Activations are calibrated on English units and on translations, because their ranges differ.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import json
import random
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from export import build, calibrate, manifest, write
from export_pieces import extend
from whole import Whole


def mixed(model: Whole, tuned: Path, share: float) -> dict[str, np.ndarray]:
    """Arrays by name: (1 - share) x before + share x after."""
    after: dict[str, np.ndarray] = {}
    for file in sorted(tuned.glob("weights-*.npz")):
        with np.load(file) as part:
            after |= {name: part[name].astype(np.float32) for name in part.files}
    before = {name: value.detach().numpy() for name, value in model.weights.items()}
    if before.keys() != after.keys():
        raise SystemExit(f"{tuned} has the weights of another model")
    return {name.replace("/", "."): value + share * (after[name] - value) for name, value in before.items()}


def to_bert(weights: dict[str, np.ndarray], words: np.ndarray, config: dict, pieces: bool) -> BertModel:
    """The encoder in PyTorch; with `pieces`, they follow the words in its table."""
    rows = np.concatenate([words, weights["pieces"] @ weights["projection"] + weights["mean"]]) if pieces else words
    shape = {key: config[key] for key in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act", "max_position_embeddings", "type_vocab_size", "layer_norm_eps", "pad_token_id")}
    bert = BertModel(BertConfig(vocab_size=len(rows), **shape), add_pooling_layer=False).eval()
    state = {"embeddings.word_embeddings.weight": rows, "embeddings.position_embeddings.weight": weights["positions"], "embeddings.token_type_embeddings.weight": np.zeros((config["type_vocab_size"], config["hidden_size"]))}
    for name, value in weights.items():
        if "LayerNorm" in name:
            state[name] = value
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            three = np.split(weights[f"layer{layer}.attention.{part}"], 3)
            state |= {f"{at}attention.self.{name}.{part}": value for name, value in zip(("query", "key", "value"), three)}
            for name, place in (("output", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense")):
                state[f"{at}{place}.{part}"] = weights[f"layer{layer}.{name}.{part}"]
    missing, unexpected = bert.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(value, np.float32)) for name, value in state.items()}, strict=False)
    if unexpected or any("position_ids" not in name for name in missing):
        raise SystemExit(f"weights do not fit: {missing} {unexpected}")
    return bert


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the model folder that tune_whole.py began with")
    parser.add_argument("--head", type=Path, required=True, help="its head")
    parser.add_argument("--tuned", type=Path, required=True, help="folder of tune_whole.py")
    parser.add_argument("--share", type=float, default=1.0, help="0: as before, 1: as tuned")
    parser.add_argument("--units", type=Path, required=True)
    parser.add_argument("--translations", type=Path, required=True)
    parser.add_argument("--calibrate", type=int, default=500, help="texts of each kind")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    random.seed(options.seed)
    model = Whole(options.model, options.head)
    weights, words = mixed(model, options.tuned, options.share), model.words.numpy()
    config = json.loads((options.model / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.enable_truncation(128)
    read = lambda file, column: random.sample([line.rstrip("\n").split("\t")[column] for line in open(file)], options.calibrate)  # noqa: E731
    seen = calibrate(to_bert(weights, words, config, True), tokenizer, read(options.units, 1) + read(options.translations, 3))
    bert = to_bert(weights, words, config, False)
    graph = build({name: value.numpy() for name, value in bert.state_dict().items()}, bert.config, "static", seen)
    extend(graph, weights["pieces"], weights["projection"], weights["mean"])
    (options.out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(graph, options.out / "onnx" / "model_quantized.onnx")
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(options.model / name, options.out)
    shutil.copytree(options.model / "1_Pooling", options.out / "1_Pooling", dirs_exist_ok=True)
    write(options.out / "manifest.json", manifest(options.out))
    print(sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file()), "bytes")


if __name__ == "__main__":
    main()
