"""Adds WordPieces for other languages to the vocabulary of a model; the former tokens keep their numbers.

Marks of Latin, Greek, Cyrillic and Arabic letters are removed as before; those of Devanagari and Kana stay, because there they make other
letters. Runs of Han characters and Kana are words of at most 48 characters, cut by the longest piece. A Han character without a piece
is a word of its own, so that it does not make its neighbours unknown. Pieces that English words would use are left out.
"""
import argparse
import json
import random
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from bilingual import DENSE
from build_vocabulary import ALONE, UNCLEAR, han
from corpus import read_lines

MARKS = "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed]"
KANA = "\u3040-\u309f\u30a0-\u30fa\u30fc-\u30ff\u3099"
ANY_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
# Messages of programs are most of the text, and speak of few things. At least this share of the sample is other text, where there is as much.
GENERAL_SHARE, REPEATED = 0.65, 2.5
# A piece is left out if its share in English text is above this part of its share in the other languages.
ENGLISH_SHARE = 0.4


def sample(pairs: Path, corpus: Path, general: re.Pattern[str], characters: int) -> dict[str, list[str]]:
    """Texts by language, at most `characters` of each, half as many where a character is a word or a syllable."""
    texts: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for line in open(pairs):
        language, _, other, source = line.rstrip("\n").split("\t")
        texts[language][0 if general.match(source) else 1].append(other)
    for language, text in zip(read_lines(corpus / "multilingual.lang"), read_lines(corpus / "multilingual.txt"), strict=True):
        language = {"pt_br": "pt", "hin": "hi"}.get(language, language)
        if language in texts and language not in UNCLEAR:
            texts[language][0].append(text)
    chosen = {}
    for language, (first, rest) in texts.items():
        first, rest, budget = list(dict.fromkeys(first)), list(dict.fromkeys(rest)), characters // (2 if language in DENSE else 1)
        limit = min(GENERAL_SHARE * budget, REPEATED * sum(map(len, first)))
        picked, length = [], 0
        while length < limit:
            random.shuffle(first)
            for text in first:
                if length >= limit:
                    break
                picked.append(text)
                length += len(text)
        random.shuffle(rest)
        for text in rest:
            if length > budget:
                break
            picked.append(text)
            length += len(text)
        chosen[language] = picked
        print(language, len(picked), "texts,", length, "characters")
    return chosen


def without_english(pieces: list[str], needed: set[str], build, size: int, first: int, english: list[str], other: list[str]) -> list[str]:
    """`pieces` without those that English words use, at most `size`. `build` makes a tokenizer of them."""
    banned: set[str] = set()
    for _ in range(4):
        kept = [piece for piece in pieces if piece not in banned or piece in needed][:size]
        tokenizer = build(kept)
        uses = [Counter(token for row in tokenizer.encode_batch(texts, add_special_tokens=False) for token in row.ids if token >= first) for texts in (english, other)]
        lengths = [sum(map(len, texts)) for texts in (english, other)]
        bad = {kept[token - first] for token, count in uses[0].items() if count >= 2 and count / lengths[0] > ENGLISH_SHARE * uses[1][token] / lengths[1]}
        print(len(bad), "pieces of English words,", sum(uses[0].values()), "uses in English")
        if len(bad - banned) < 30:
            break
        banned |= bad
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder with the tokenizer.json that is extended")
    parser.add_argument("--pairs", type=Path, required=True, help="written by bilingual.py")
    parser.add_argument("--corpus", type=Path, required=True, help="folder with multilingual.txt.zst and multilingual.lang.zst")
    parser.add_argument("--units", type=Path, required=True, help="English text: source, text, tab-separated")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new tokenizer.json")
    parser.add_argument("--pieces", type=int, default=40_000)
    parser.add_argument("--characters", type=int, default=5_000_000, help="of each language to learn from")
    parser.add_argument("--han", type=int, default=3_200, help="Han characters that get pieces, by frequency")
    parser.add_argument("--general", default="sentences|word|bitext", help="regular expression of the sources that are not messages of programs")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    random.seed(options.seed)
    former = json.loads((options.model / "tokenizer.json").read_text())
    known = former["model"]["vocab"]
    texts = sample(options.pairs, options.corpus, re.compile(options.general), options.characters)

    normalizer = normalizers.Sequence([
        normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False),
        normalizers.NFD(), normalizers.Replace(Regex(MARKS), ""), normalizers.Lowercase(),
    ])
    seen = Counter(character for part in texts.values() for text in part for character in normalizer.normalize_str(text))
    frequent = {character for character, _ in Counter({c: n for c, n in seen.items() if han(c)}).most_common(options.han)}
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(ALONE), "isolated"),
        pre_tokenizers.Split(Regex(f"[{KANA}{''.join(sorted(frequent))}]{{1,48}}|{ANY_HAN}"), "isolated"),
        pre_tokenizers.BertPreTokenizer(),
    ])
    letters = sorted(c for c, n in seen.items() if (n >= 40 or c in frequent) and unicodedata.category(c)[0] in "LM" and (c in frequent or not re.match(ANY_HAN, c)))
    trainer = trainers.WordPieceTrainer(
        vocab_size=options.pieces + 16_000, initial_alphabet=letters, limit_alphabet=len(letters), continuing_subword_prefix="##", special_tokens=["[UNK]"], show_progress=False,
    )
    keep = set(letters) | set("0123456789.,;:!?()'\"-/")
    clean = ("".join(c if c in keep or c.isspace() else " " for c in normalizer.normalize_str(text)) for part in texts.values() for text in part)
    tokenizer.train_from_iterator(clean, trainer)
    learned = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    needed = [form for letter in letters for form in (letter, f"##{letter}") if form not in known]
    pieces = list(dict.fromkeys(needed + [token for token in learned if token not in known and token != "[UNK]" and not re.search(r"\d", token)]))

    made = json.loads(tokenizer.to_str())
    extended = {**former, "normalizer": made["normalizer"], "pre_tokenizer": made["pre_tokenizer"]}

    def build(chosen: list[str]) -> Tokenizer:
        extended["model"] = {**former["model"], "vocab": {**known, **{piece: len(known) + index for index, piece in enumerate(chosen)}}}
        return Tokenizer.from_str(json.dumps(extended))

    english = [line.rstrip("\n").split("\t")[1] for line in open(options.units)]
    other = [text for part in texts.values() for text in random.sample(part, min(len(part), 20_000))]
    kept = without_english(pieces, set(needed), build, options.pieces, len(known), random.sample(english, min(len(english), 150_000)), other)
    build(kept)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "tokenizer.json").write_text(json.dumps(extended, ensure_ascii=False, separators=(",", ":")))
    print(len(kept), "pieces,", len(needed), "of them single letters")


if __name__ == "__main__":
    main()
