"""Gives a model the pieces of another one: the tokenizer with both vocabularies, and where training of the pieces starts.

The two models have different embeddings of tokens. A linear map between them is fitted (least squares) on the tokens that both know, and applied
to the pieces. Tokens of the new model keep their numbers, so English texts keep their tokens; in other scripts than Latin, where the new model knows
little more than letters, the pieces replace its tokens. Pieces that English words would use are left out.
Writes tokenizer.json and start.npy, float32 [pieces, width of an embedding].
"""
import argparse
import json
import random
import re
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from tokenizers import Tokenizer

from corpus import read_lines
from extend_vocabulary import without_english

LATIN = re.compile(r"^[\u0000-\u024f\u1e00-\u1eff\u2000-\u206f]*$")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def constants(folder: Path) -> dict[str, np.ndarray]:
    graph = onnx.load(folder / "onnx" / "model_quantized.onnx").graph
    return {item.name: numpy_helper.to_array(item) for item in graph.initializer if item.name.split(".")[0] in ("words", "pieces")}


def rows(values: dict[str, np.ndarray], name: str) -> np.ndarray:
    return values[name].astype(np.float32) * values[name + ".scales"]


def build(form: dict, known: dict[str, int], pieces: list[str]) -> Tokenizer:
    """The tokenizer `form` with the tokens `known` and, behind them, `pieces`."""
    first = max(known.values()) + 1
    numbers = {**known, **{piece: first + at for at, piece in enumerate(pieces)}}
    value = json.loads(json.dumps({**form, "model": {**form["model"], "vocab": {}}}))
    value["model"]["vocab"] = numbers
    for token in value["added_tokens"]:
        token["id"] = known[token["content"]]
    for name, token in value["post_processor"]["special_tokens"].items():
        token["ids"] = [known[name]]
    return Tokenizer.from_str(json.dumps(value, ensure_ascii=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", type=Path, required=True, help="folder of the model that has the pieces")
    parser.add_argument("--model", type=Path, required=True, help="folder of the model that gets them")
    parser.add_argument("--units", type=Path, required=True, help="English text: source, text, tab-separated")
    parser.add_argument("--corpus", type=Path, required=True, help="folder with multilingual.txt.zst")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    theirs, ours = constants(options.source), constants(options.model)
    form = json.loads((options.source / "tokenizer.json").read_text())
    their_numbers, known = form["model"]["vocab"], json.loads((options.model / "tokenizer.json").read_text())["model"]["vocab"]
    count = len(theirs["words"])
    their_words, our_words = rows(theirs, "words"), rows(ours, "words")

    common = [token for token, row in their_numbers.items() if row < count and token in known and token not in SPECIAL]
    left = np.hstack([their_words[[their_numbers[token] for token in common]], np.ones((len(common), 1), np.float32)])
    right = our_words[[known[token] for token in common]]
    weights, *_ = np.linalg.lstsq(left, right, rcond=None)
    explained = 1 - ((left @ weights - right) ** 2).sum() / ((right - right.mean(0)) ** 2).sum()
    print(len(common), "common tokens; the map explains", round(float(explained), 3), "of their variance")

    candidates = [piece for piece, row in sorted(their_numbers.items(), key=lambda item: item[1]) if row >= count and not (piece in known and LATIN.match(piece))]
    # What the piece replaces keeps its row in the table of embeddings, which is read no more.
    kept = {token: row for token, row in known.items() if token not in set(candidates)}
    first = max(known.values()) + 1
    kept.setdefault(next(token for token, row in known.items() if row == first - 1), first - 1)
    english = random.sample([line.rstrip("\n").split("\t")[1] for line in open(options.units)], 60_000)
    other = random.sample(list(read_lines(options.corpus / "multilingual.txt")), 60_000)
    letters = {piece for piece in candidates if len(piece.removeprefix("##")) == 1}
    pieces = without_english(candidates, letters, lambda chosen: build(form, kept, chosen), len(candidates), first, english, other)
    tokenizer = build(form, kept, pieces)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    long = rows(theirs, "pieces") @ theirs["pieces.projection"].astype(np.float32) + theirs["pieces.mean"]
    chosen = long[[their_numbers[piece] - count for piece in pieces]]
    start = np.hstack([chosen, np.ones((len(chosen), 1), np.float32)]) @ weights
    np.save(options.out / "start.npy", start.astype(np.float32))
    before = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    same = sum(a.ids == b.ids for a, b in zip(before.encode_batch(english), tokenizer.encode_batch(english), strict=True))
    print(len(candidates), "pieces,", len(pieces), "kept;", round(same / len(english), 3), "of English texts have the same tokens")


if __name__ == "__main__":
    main()
