"""Gives a model with pieces the characters that its tokenizer lacks, because a word with one unknown character is unknown as a whole.

A character that may be joined to others gets both forms, at the start of a word and inside it; another one that occurs in the text gets the first.
The row of a new piece is that of its other form, or the mean of all pieces. Writes a model folder, and the head with the hash of its graph.
"""
import argparse
import hashlib
import json
import re
import shutil
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from export import manifest, write

SPECIAL = re.compile(r"[\s\x00-\x7f]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--translations", type=Path, required=True, help="language, source, English text, translation")
    parser.add_argument("--least", type=int, default=3, help="how often a character must occur")
    parser.add_argument("--head", type=Path, required=True, help="the head of the model's reranker")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--out-head", type=Path, required=True)
    options = parser.parse_args()
    form = json.loads((options.model / "tokenizer.json").read_text())
    # Forms of compatibility, such as full-width digits, become the letters that they stand for.
    form["normalizer"]["normalizers"] = [{"type": "NFKD"} if step["type"] == "NFD" else step for step in form["normalizer"]["normalizers"]]
    vocabulary: dict[str, int] = form["model"]["vocab"]
    counts: Counter[str] = Counter()
    for line in open(options.translations):
        counts.update(unicodedata.normalize("NFKD", line.rstrip("\n").split("\t")[3].lower()))
    letters = {letter for letter, count in counts.items() if count >= options.least and unicodedata.category(letter)[0] in "LMNPS" and not SPECIAL.match(letter)}
    joined = re.search(r"\[(.*?)\]\{1,48\}", next(step["pattern"]["Regex"] for step in form["pre_tokenizer"]["pretokenizers"] if "{1,48}" in json.dumps(step)))
    may_join = re.compile(f"[{joined[1]}]")
    inside = {piece.removeprefix("##") for piece in vocabulary if piece.startswith("##") and len(piece) == 3}
    starts = {piece for piece in vocabulary if len(piece) == 1}
    known = [letter for letter in inside | starts if not SPECIAL.match(letter)]
    spaced = lambda letter: unicodedata.category(letter)[0] == "L" and not re.match("[㐀-䶿一-鿿豈-\ufaff]", letter)  # noqa: E731
    wanted = []
    for letter in sorted(letters | set(known)):
        if letter not in starts and unicodedata.category(letter)[0] != "M":
            wanted.append(letter)
        if letter not in inside and (may_join.match(letter) or spaced(letter) or unicodedata.category(letter)[0] == "M"):
            wanted.append("##" + letter)
    model = onnx.load(options.model / "onnx" / "model_quantized.onnx")
    values = {item.name: item for item in model.graph.initializer}
    words = len(numpy_helper.to_array(values["words"]))
    rows, scales = numpy_helper.to_array(values["pieces"]), numpy_helper.to_array(values["pieces.scales"])
    real = rows.astype(np.float32) * scales
    mean, added = real.mean(0), []
    for piece in wanted:
        other = piece.removeprefix("##") if piece.startswith("##") else "##" + piece
        number = vocabulary.get(other, 0)
        added.append(real[number - words] if number >= words and number - words < len(real) else mean)
        vocabulary[piece] = words + len(real) + len(added) - 1
    added = np.array(added, np.float32)
    new_scales = np.maximum(np.abs(added).max(1, keepdims=True) / 127, 1e-10).astype(np.float32)
    for name, value in (("pieces", np.concatenate([rows, np.rint(added / new_scales).astype(np.int8)])), ("pieces.scales", np.concatenate([scales, new_scales]))):
        values[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), name))
    (options.out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, options.out / "onnx" / "model_quantized.onnx")
    config = json.loads((options.model / "config.json").read_text())
    write(options.out / "config.json", {**config, "vocab_size": words + len(real) + len(added)})
    (options.out / "tokenizer.json").write_text(json.dumps(form, ensure_ascii=False, separators=(",", ":")))
    shutil.copy(options.model / "tokenizer_config.json", options.out)
    shutil.copytree(options.model / "1_Pooling", options.out / "1_Pooling", dirs_exist_ok=True)
    write(options.out / "manifest.json", manifest(options.out))
    if options.out_head != options.head:
        shutil.copytree(options.head, options.out_head, dirs_exist_ok=True)
    graph = hashlib.sha256((options.out / "onnx" / "model_quantized.onnx").read_bytes()).hexdigest()
    write(options.out_head / "config.json", {**json.loads((options.head / "config.json").read_text()), "embedder_sha256": [graph]})
    write(options.out_head / "manifest.json", manifest(options.out_head))
    print(len(added), "pieces added:", sum(piece.startswith("##") for piece in wanted), "inside a word;", len(letters), "characters occur")


if __name__ == "__main__":
    main()
