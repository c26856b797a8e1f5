"""Mixes the weights of two students: from + (to - from) x --share. Beyond 1 it goes on in the direction of the last training."""
import offline  # noqa: F401 (first: it sets the environment of the other packages)

import argparse
import shutil
from pathlib import Path

from transformers import AutoModel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.15)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    model = AutoModel.from_pretrained(options.start, add_pooling_layer=False)
    one, two = model.state_dict(), AutoModel.from_pretrained(options.to, add_pooling_layer=False).state_dict()
    model.load_state_dict({name: value + (two[name] - value) * options.share if value.is_floating_point() else value for name, value in one.items()})
    model.save_pretrained(options.out)
    shutil.copy(options.to / "tokenizer.json", options.out)


if __name__ == "__main__":
    main()
