"""Writes the reranker: a head on the token vectors of the embedding model, for late interaction (MaxSim).

It keeps the principal directions of token vectors, int8 with one fixed scale, so a row depends on no other. Nothing is trained with
labels: a head that was trained on rule-made questions found more of those, and less in real conversations.
"""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import hashlib
import json
import random
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from evaluate import Model
from export import manifest, write

# The levels of int8 that a component of a unit vector is rounded to.
LEVELS = 127
# Tokens of a query that say nothing about its subject.
IGNORED = """what which who whom whose when where why how do does did am is are was were has have had can could will would shall should
? ' s the a an of to in and ,""".split()


def principal(model: Model, texts: list[str], dimensions: int) -> np.ndarray:
    """Float32 [hidden, dimensions]: the directions in which the unit vectors of the tokens of `texts` are longest."""
    total = 0
    for text in texts:
        ids = np.array([model.tokenizer.encode(text).ids], np.int64)
        rows = model.hidden(ids, np.ones_like(ids))[0, 1:-1].astype(np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        total = total + rows.T @ rows
    values, directions = np.linalg.eigh(total)
    print(f"{values[-dimensions:].sum() / values.sum():.3f} of the squared length is kept")
    return directions[:, ::-1][:, :dimensions].astype(np.float32)


def build(projection: np.ndarray) -> onnx.ModelProto:
    """last_hidden_state float32 [batch, sequence, hidden] -> token_vectors int8 [batch, sequence, dimensions]."""
    hidden, dimensions = projection.shape
    constants = {"projection": projection, "scale": np.float32(1 / LEVELS), "zero": np.int8(0)}
    nodes = [
        helper.make_node("LpNormalization", ["last_hidden_state"], ["unit"], axis=-1, p=2),
        helper.make_node("MatMul", ["unit", "projection"], ["projected"]),
        helper.make_node("LpNormalization", ["projected"], ["vectors"], axis=-1, p=2),
        helper.make_node("QuantizeLinear", ["vectors", "scale", "zero"], ["token_vectors"]),
    ]
    sides = ["batch", "sequence"]
    model = helper.make_model(
        helper.make_graph(
            nodes, "memledger-rerank",
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*sides, hidden])],
            [helper.make_tensor_value_info("token_vectors", TensorProto.INT8, [*sides, dimensions])],
            [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", 18)], producer_name="memledger",
    )
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", type=Path, nargs="+", required=True, help="the model folder whose token vectors the head reads, and folders of models with the same layers")
    parser.add_argument("--pairs", type=Path, nargs="*", default=[], help="pairs.tsv of select_text.py, questions.tsv of register.py")
    parser.add_argument("--out", type=Path, required=True, help="the model folder")
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--sample", type=int, default=1500, help="pairs that are read of each file")
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--manifest-only", action="store_true", help="after the card was edited: write manifest.json again, nothing else")
    options = parser.parse_args()
    if not options.manifest_only:
        random.seed(options.seed)
        model = Model(options.embedder[0], options.max_tokens)
        rows = [row for file in options.pairs for row in random.sample(file.read_text().splitlines(), options.sample)]
        projection = principal(model, [text for row in rows for text in row.split("\t")[:2]], options.dimensions)
        (options.out / "onnx").mkdir(parents=True, exist_ok=True)
        onnx.save(build(projection), options.out / "onnx" / "model.onnx")
        graphs = [folder / "onnx" / "model_quantized.onnx" for folder in options.embedder]
        write(options.out / "config.json", {
            "architectures": ["LateInteraction"], "embedder": ", ".join(folder.resolve().name for folder in options.embedder), "embedder_sha256": [hashlib.sha256(graph.read_bytes()).hexdigest() for graph in graphs],
            "dimensions": options.dimensions, "levels": LEVELS, "max_tokens": options.max_tokens,
            "ignored_query_tokens": sorted(filter(None, map(model.tokenizer.token_to_id, IGNORED))),
        })
    write(options.out / "manifest.json", manifest(options.out))


if __name__ == "__main__":
    main()
