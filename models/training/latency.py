"""Milliseconds per text on one thread, several model folders in turns so that noise hits all alike. The first is the baseline."""
import argparse
import statistics
import time
from pathlib import Path

import numpy as np

from evaluate import Model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, nargs="+", required=True)
    parser.add_argument("--lengths", type=int, nargs="+", default=[8, 16, 32, 128, 512])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    models = [Model(folder, 512, threads=1) for folder in options.model]
    random = np.random.default_rng(options.seed)
    print("| tokens |", " | ".join(folder.name for folder in options.model), "| times as fast |")
    for length in options.lengths:
        ids = random.integers(2000, 20_000, (1, length))
        mask = np.ones_like(ids)
        times: list[list[float]] = [[] for _ in models]
        for _ in range(options.rounds if length < 200 else options.rounds // 4):
            for model, found in zip(models, times, strict=True):
                model.hidden(ids, mask)
                start = time.perf_counter()
                model.hidden(ids, mask)
                found.append((time.perf_counter() - start) * 1000)
        medians = [statistics.median(found) for found in times]
        print(f"| {length} |", " | ".join(f"{value:.2f}" for value in medians), "|", " ".join(f"{medians[0] / value:.2f}" for value in medians[1:]), "|", flush=True)


if __name__ == "__main__":
    main()
