"""Chooses the training text: units for distillation, pairs for fine-tuning, translations, per source quota.

Never lets through a source whose licence is non-commercial, nor any text that overlaps the evaluation files
(same text after normalisation, or one shared run of --ngram words). Writes what was kept and dropped to overlap.json.
"""
import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

from corpus import eval_texts, read_lines

NON_COMMERCIAL = {"openstax", "webnlg", "dailydialog", "nltk_brown_nc"}
# Units per source; a source that is not listed contributes DEFAULT_QUOTA.
DEFAULT_QUOTA = 12_000
QUOTA = {
    "persona_spc": 40_000, "xpersona": 40_000, "persona_third_person": 40_000, "dialog_windows": 50_000,
    "synthetic_memory_templates": 26_000, "chitchat": 12_000, "taskmaster": 15_000, "sgd": 40_000, "dstc9": 26_000,
    "multi30k": 90_000, "comve": 50_000, "tatoeba": 67_000, "intents": 60_000, "query_wellformed": 25_000,
    "trivia": 30_000, "simplequestions": 15_000, "qmsum": 25_000, "counselchat": 17_000, "nltk": 60_000,
    "copilot_rules": 45_000, "memory_and_db_docs": 45_000, "commits": 40_000, "books": 30_000, "wordnet": 30_000,
    "medquad": 20_000, "fortunes": 20_000, "tldr": 25_000,
}
# Left out of the pairs: same intent is not same meaning, and a bare answer such as "1959" says nothing about its question.
PAIR_QUOTA = {
    "clinc150/same-intent": 0, "banking77/same-intent": 0, "nlu-eval/same-intent": 0, "opentrivia/question-answer": 0, "sgd/turn-response": 0,
    "chatterbot/question-answer": 0, "chitchat/question-answer": 0, "memorybank/turn": 0, "comve/statement-reason": 4_000, "multi30k/same-image": 12_000,
    "wordnet/word-definition": 6_000, "wordnet/example-definition": 3_000,
    "commits/subject-body": 10_000, "sgd/same-slots": 12_000, "powershell_docs/heading": 4_000,
    "sgd/question-response": 4_000, "tldr/task-command": 4_000,
}


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits: what two texts are compared by."""
    return re.findall(r"[^\W_]+", text.lower())


TRANSLATED = ("bitext-en-de/", "bitext-en-fr/", "bitext-en-es/")
HELD_OUT = 300  # translations per source that are only for measuring


class Overlap:
    """The evaluation text as a set of normalised texts and a set of word n-grams."""

    def __init__(self, texts: list[str], ngram: int):
        self.ngram, self.whole, self.grams = ngram, set(), set()
        for text in texts:
            run = words(text)
            if len(run) > 2:
                self.whole.add(" ".join(run))
            self.grams.update(tuple(run[i : i + ngram]) for i in range(len(run) - ngram + 1))
        self.found: Counter[str] = Counter()

    def hit(self, text: str) -> bool:
        run, n = words(text), self.ngram
        if " ".join(run) in self.whole:
            self.found["same text"] += 1
            return True
        if any(tuple(run[i : i + n]) in self.grams for i in range(len(run) - n + 1)):
            self.found[f"shared run of {n} words"] += 1
            return True
        if "locomo" in text.lower():  # documents about the benchmark may quote it
            self.found["names the benchmark"] += 1
            return True
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder with sentences.txt.zst, sentences.src.zst, pairs.tsv.zst")
    parser.add_argument("--eval", type=Path, required=True, help="folder with the evaluation files to keep out")
    parser.add_argument("--out", type=Path, required=True, help="writes units.tsv (source, text), pairs.tsv (a, b, source), bitext.tsv (source, text, English), bitext-held-out.tsv, overlap.json")
    parser.add_argument("--ngram", type=int, default=6)
    parser.add_argument("--share", type=float, default=1.0, help="multiplies every quota (a GPU can afford 3 or more)")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    overlap = Overlap(eval_texts(options.eval), options.ngram)

    by_source: dict[str, list[str]] = {}
    for source, text in zip(read_lines(options.corpus / "sentences.src"), read_lines(options.corpus / "sentences.txt"), strict=True):
        if source not in NON_COMMERCIAL and 8 <= len(text) <= 1500:
            by_source.setdefault(source, []).append(text)
    kept: Counter[str] = Counter()
    seen: set[str] = set()
    with open(options.out / "units.tsv", "w") as out:
        for source, texts in sorted(by_source.items()):
            random.shuffle(texts)
            for text in texts:
                if kept[source] >= QUOTA.get(source, DEFAULT_QUOTA) * options.share:
                    break
                if text not in seen and not overlap.hit(text):
                    seen.add(text)
                    kept[source] += 1
                    out.write(f"{source}\t{text}\n")

    pairs: dict[str, list[tuple[str, str]]] = {}
    for line in read_lines(options.corpus / "pairs.tsv"):
        a, b, source = line.split("\t")
        if not any(part in NON_COMMERCIAL for part in source.split("/")) and max(len(a), len(b)) <= 1500 and "docs_translations" not in source:
            pairs.setdefault(source, []).append((a, b))
    kept_pairs: Counter[str] = Counter()
    with open(options.out / "pairs.tsv", "w") as out, open(options.out / "bitext.tsv", "w") as bitext, open(options.out / "bitext-held-out.tsv", "w") as held:
        for source, rows in sorted(pairs.items()):
            random.shuffle(rows)
            if source.startswith("bitext-"):
                if source.startswith(TRANSLATED):
                    held.writelines(f"{a}\t{b}\t{source}\n" for a, b in rows[:HELD_OUT])
                    measured = {text for row in rows[:HELD_OUT] for text in row}
                    bitext.writelines(f"{source}\t{b}\t{a}\n" for a, b in rows[HELD_OUT:] if a not in measured and not overlap.hit(a))
                continue
            for a, b in rows:
                if kept_pairs[source] >= PAIR_QUOTA.get(source, 25_000) * options.share:
                    break
                if not overlap.hit(a) and not overlap.hit(b):
                    kept_pairs[source] += 1
                    out.write(f"{a}\t{b}\t{source}\n")
    report = {"units": dict(kept), "pairs": dict(kept_pairs), "dropped": dict(overlap.found), "ngram": options.ngram}
    (options.out / "overlap.json").write_text(json.dumps(report, indent=1))
    print(sum(kept.values()), "units,", sum(kept_pairs.values()), "pairs, dropped", dict(overlap.found))


if __name__ == "__main__":
    main()
