"""Trains our lower-cased WordPiece vocabulary and writes tokenizer.json and tokenizer_config.json.

English first; a share of multilingual text, every common emoji, and the most frequent Han characters keep other text from
collapsing into [UNK]. Accents are stripped on purpose: "café" and "cafe" are one word to a memory.
"""
import argparse
import json
import random
import re
import unicodedata
from collections import Counter
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from corpus import read_lines
from select_text import NON_COMMERCIAL

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# Symbols and emoji stand alone, so that an unknown one costs itself and not the word it is glued to.
ALONE = r"[\p{So}\p{Sk}]"


EUROPEAN = {"es", "fr", "pt", "pt_br", "nl"}
UNCLEAR = {"de", "it", "zh"}


def han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"


def emoji() -> list[str]:
    ranges = [(0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF), (0x1FA70, 0x1FAFF), (0x2600, 0x27BF), (0x1F1E6, 0x1F1FF)]
    return [chr(code) for low, high in ranges for code in range(low, high + 1) if unicodedata.category(chr(code)) in ("So", "Sk")]


def sample(corpus: Path, english: int, other: int) -> list[str]:
    """`english` units, and `other` units in the remaining languages, European ones first; no non-commercial source.

    The multilingual file names no source, so the languages of its non-commercial ones (UNCLEAR) come from the pairs instead.
    """
    texts = [
        text
        for source, text in zip(read_lines(corpus / "sentences.src"), read_lines(corpus / "sentences.txt"), strict=True)
        if source not in NON_COMMERCIAL
    ]
    random.shuffle(texts)
    foreign = [
        (language not in EUROPEAN, random.random(), text)
        for language, text in zip(read_lines(corpus / "multilingual.lang"), read_lines(corpus / "multilingual.txt"), strict=True)
        if language not in UNCLEAR
    ]
    foreign.sort()
    half = other // 2
    rest = [row[2] for row in foreign if row[0]]
    paired = []
    for line in read_lines(corpus / "pairs.tsv"):
        _, text, source = line.split("\t")
        if re.search(r"^bitext-|^xquad/question-sentence-|^docs_translations/heading-", source) and not NON_COMMERCIAL & set(source.split("/")):
            paired.append(text)
    return texts[:english] + [row[2] for row in foreign[:half]] + random.sample(rest, min(len(rest), other - half)) + paired


def frequent_words(texts: list[str], teacher: Path, known: set[str]) -> list[str]:
    """The teacher's whole words that `texts` use and `known` lacks, most frequent first: their embeddings can be copied."""
    theirs = {token for token in Tokenizer.from_file(str(teacher / "tokenizer.json")).get_vocab() if token.isascii() and token.isalpha()}
    counts = Counter(word for text in texts for word in re.findall(r"[a-z]+", text.lower()))
    return [word for word, _ in counts.most_common() if word in theirs and word not in known]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the model folder")
    parser.add_argument("--teacher", type=Path, help="folder with the teacher's tokenizer.json; its whole words that the corpus uses join ours")
    parser.add_argument("--size", type=int, default=24_576)
    parser.add_argument("--learned", type=int, default=16_500, help="tokens to learn; the rest is borrowed from the teacher by corpus frequency")
    parser.add_argument("--english", type=int, default=700_000, help="English units to learn from")
    parser.add_argument("--other", type=int, default=80_000, help="units in other languages")
    parser.add_argument("--han", type=int, default=1_700, help="Han characters to keep, by frequency")
    parser.add_argument("--max-length", type=int, default=512)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    random.seed(options.seed)
    texts = sample(options.corpus, options.english, options.other)

    seen = Counter(character for text in texts for character in unicodedata.normalize("NFD", text.lower()))
    frequent_han = [character for character, _ in seen.most_common() if han(character)][: options.han]
    letters = [c for c, count in seen.items() if count >= 30 and not han(c) and not c.isspace() and unicodedata.category(c) not in ("Mn", "So", "Cf", "Cc")]

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(ALONE), "isolated"), pre_tokenizers.BertPreTokenizer()])
    fixed = len(SPECIAL) + len(frequent_han) + len(emoji())
    trainer = trainers.WordPieceTrainer(
        vocab_size=(options.learned if options.teacher else options.size - fixed), special_tokens=SPECIAL[:1] + ["[UNK]"], initial_alphabet=sorted(letters),
        limit_alphabet=len(letters), continuing_subword_prefix="##", show_progress=False,
    )
    keep = set(letters)
    clean = ("".join(c if c in keep or c.isspace() else " " for c in unicodedata.normalize("NFD", text.lower())) for text in texts)
    tokenizer.train_from_iterator(clean, trainer)
    learned = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]) if token not in SPECIAL]
    plain = set(learned)
    digits = [token for token in (*"0123456789", *(f"##{d}" for d in range(10))) if token not in plain]
    extra = [token for token in frequent_han + emoji() + digits if token not in plain]
    borrowed = frequent_words(texts[: options.english], options.teacher, plain) if options.teacher else []
    vocabulary = list(dict.fromkeys(SPECIAL + extra + learned + borrowed))[: options.size]
    tokenizer.model = models.WordPiece({token: index for index, token in enumerate(vocabulary)}, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    (options.out / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": True, "strip_accents": True, "model_max_length": options.max_length,
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
    }, indent=2) + "\n")
    print(len(vocabulary), "tokens")


if __name__ == "__main__":
    main()
