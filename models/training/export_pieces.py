"""Writes the model folder of a model with additional pieces: the graph of the former model, with a second table of embeddings before its layers.

The table has int8 rows, each with a scale, and one matrix that makes them as long as an embedding. All other constants stay byte by byte, so an
executable that contains both models contains them once.
"""
import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from export import manifest, write


def extend(model: onnx.ModelProto, rows: np.ndarray, projection: np.ndarray, mean: np.ndarray) -> None:
    """Adds `rows` [pieces, width], `projection` [width, hidden] and `mean` [hidden] to the graph; numbers of pieces follow those of words."""
    graph = model.graph
    count = next(item.dims[0] for item in graph.initializer if item.name == "words")
    scales = np.maximum(np.abs(rows).max(1, keepdims=True) / 127, 1e-10).astype(np.float32)
    constants = {
        "pieces": np.rint(rows / scales).astype(np.int8), "pieces.scales": scales, "pieces.projection": projection.astype(np.float16), "pieces.mean": mean.astype(np.float32),
        "words.count": np.array(count, np.int64), "words.last": np.array(count - 1, np.int64), "none": np.array(0, np.int64), "last.axis": np.array([-1], np.int64),
    }
    graph.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items())
    node = lambda kind, inputs, name, **attributes: helper.make_node(kind, inputs, [name], name=name, **attributes)  # noqa: E731
    before = [
        node("Min", ["input_ids", "words.last"], "word.ids"),
        node("Sub", ["input_ids", "words.count"], "piece.offset"),
        node("Max", ["piece.offset", "none"], "piece.ids"),
        node("GreaterOrEqual", ["input_ids", "words.count"], "is.piece"),
        node("Unsqueeze", ["is.piece", "last.axis"], "is.piece.wide"),
    ]
    after = [
        node("Gather", ["pieces", "piece.ids"], "piece.rows"),
        node("Cast", ["piece.rows"], "piece.cast", to=TensorProto.FLOAT),
        node("Gather", ["pieces.scales", "piece.ids"], "piece.scales"),
        node("Mul", ["piece.cast", "piece.scales"], "piece.short"),
        node("Cast", ["pieces.projection"], "projection", to=TensorProto.FLOAT),
        node("MatMul", ["piece.short", "projection"], "piece.long"),
        node("Add", ["piece.long", "pieces.mean"], "piece"),
        helper.make_node("Where", ["is.piece.wide", "piece", "word.known"], ["word"], name="word.chosen"),
    ]
    nodes = []
    for item in graph.node:
        copied = onnx.NodeProto()
        copied.CopyFrom(item)
        if item.name in ("word.rows", "word.scales"):
            copied.input[1] = "word.ids"
        if item.name == "word":
            copied.output[0] = "word.known"
        nodes += [copied, *(after if item.name == "word" else [])]
    del graph.node[:]
    graph.node.extend(before + nodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the former model folder")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of extend_vocabulary.py")
    parser.add_argument("--pieces", type=Path, required=True, help="written by train_pieces.py")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pieces = {name: value.float().numpy() for name, value in torch.load(options.pieces, weights_only=True).items()}
    model = onnx.load(options.model / "onnx" / "model_quantized.onnx")
    extend(model, pieces["rows"], pieces["projection"], pieces["mean"])
    (options.out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, options.out / "onnx" / "model_quantized.onnx")
    config = json.loads((options.model / "config.json").read_text())
    write(options.out / "config.json", {**config, "vocab_size": config["vocab_size"] + len(pieces["rows"])})
    shutil.copytree(options.model / "1_Pooling", options.out / "1_Pooling", dirs_exist_ok=True)
    shutil.copy(options.model / "tokenizer_config.json", options.out)
    shutil.copy(options.tokenizer / "tokenizer.json", options.out)
    write(options.out / "manifest.json", manifest(options.out))
    print(sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file()), "bytes")


if __name__ == "__main__":
    main()
