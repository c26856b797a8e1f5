"""Collects translations: English and another language, from compiled message catalogues (.mo), catalogues of documentation (.po), tab-separated
sentence pairs, documentation in Markdown that was translated block by block, and wordnets.

Never keeps a pair whose lengths or scripts cannot be those of a translation. Reads only what the options name; the licence of each
source is the business of whoever names it (the card of memledger-embed-v2 lists those that were used).
"""
import argparse
import gettext
import html
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from corpus import read_lines
from select_text import NON_COMMERCIAL

LANGUAGES = ("de", "fr", "es", "pt", "it", "nl", "pl", "ru", "zh", "ja", "ko", "ar", "hi")
# Names of languages in the folders of message catalogues, and in wordnets.
CATALOGUES = {**{language: language for language in LANGUAGES if language != "zh"}, "pt_BR": "pt", "pt-BR": "pt", "zh_CN": "zh", "zh-CN": "zh"}
WORDNETS = {"deu": "de", "fra": "fr", "spa": "es", "por": "pt", "ita": "it", "nld": "nl", "pol": "pl", "rus": "ru", "cmn": "zh", "jpn": "ja", "kor": "ko", "arb": "ar", "hin": "hi"}
SCRIPTS = {"ru": "[Ѐ-ӿ]", "zh": "[一-鿿]", "ja": "[぀-ヿ一-鿿]", "ko": "[가-힣]", "ar": "[؀-ۿ]", "hi": "[ऀ-ॿ]"}
DENSE = ("zh", "ja", "ko")
PLACEHOLDER = re.compile(r"[{}$\\@|]|%\(|%[a-z0-9]*[sdn]|https?:")


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


def may_be_translation(language: str, english: str, other: str) -> bool:
    """Whether lengths (in characters) and script allow it."""
    letters = sum(map(str.isalpha, english))
    if not (2 <= len(english) <= 400 and 1 <= len(other) <= 500) or letters < max(2, 0.6 * len(english.replace(" ", ""))) or english.lower() == other.lower():
        return False
    if language in SCRIPTS and not re.search(SCRIPTS[language], other):
        return False
    ratio = len(other) / len(english)
    if language in DENSE:
        return ratio <= 2 and not (len(english) > 20 and ratio < 0.12)
    return len(english) <= 12 or 0.45 <= ratio <= 2.3


def message(text: str) -> str:
    """A message without context, plural forms, markup and marks of shortcut keys."""
    text = html.unescape(re.sub(r"<[^>]{1,80}>", " ", text.split("\x04")[-1].split("\0")[0]))
    text = re.sub(r"\(_?&?[A-Za-z]\)", "", text)
    text = re.sub(r"(?<![A-Za-z0-9 ])_(?=\w)|(?<=\w)_(?=\w)(?!\w*_)|(?<=\s)_(?=\w)|^_|~", "", text)
    return text.replace("&", "") if re.search(r"&\w", text) else text


def catalogues(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Of each .mo file below `folder`; the first folder below it names the source."""
    for file in sorted(folder.rglob("*.mo")):
        found = re.search(r"/(?:locale|resource|translations)/([^/]+)/", str(file))
        language = CATALOGUES.get(found[1]) if found else None
        if language is None:
            continue
        try:
            with open(file, "rb") as content:
                entries = gettext.GNUTranslations(content)._catalog
        except (OSError, ValueError, IndexError):
            continue
        for key, value in entries.items():
            english = key[0] if isinstance(key, tuple) else key
            if english and isinstance(value, str):
                a, b = message(english), message(value)
                if len(a) < 60 and PLACEHOLDER.search(a + b):
                    continue
                a, b = (re.sub(r"%[\d$.l]*[a-zA-Z]|\{[^}]*\}|\\n", " ", part) for part in (a, b))
                yield language, a, b, "mo/" + file.relative_to(folder).parts[0]


def documentation_catalogue(folder: Path) -> Iterator[tuple[str, str]]:
    quoted = lambda part: "".join(line[1:-1] for line in part.strip().split("\n")).replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")  # noqa: E731
    bare = lambda text: re.sub(r"``?([^`]*)``?", r"\1", re.sub(r":[\w:]+:`!?~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text)).replace("*", "")  # noqa: E731
    for file in sorted(folder.rglob("*.po")):
        for block in file.read_text(errors="replace").split("\n\n"):
            found = re.search(r'^msgid ((?:".*"\n?)+)\s*^msgstr ((?:".*"\n?)+)', block, re.M)
            if found and "#, fuzzy" not in block:
                yield bare(quoted(found[1])), bare(quoted(found[2]))


def blocks(text: str) -> list[list[str]]:
    """Paragraphs of each section, without code and markup."""
    text = re.sub(r"```.*?```|<[^>]+>|\{\*.*?\*\}|\{#.*?#?\}", "", text, flags=re.S)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)(\{[^}]*\})?", r"\1", text)
    sections: list[list[str]] = [[]]
    for block in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        if block.startswith("#"):
            sections.append([])
        sections[-1].append(re.sub(r"^[#/>*\-\s|]+", "", block.replace("**", "").replace("`", "")).strip())
    return sections


def translated_markdown(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Of folders <language>/ beside en/; only sections of as many blocks as the English ones."""
    for file in sorted((folder / "en").rglob("*.md")):
        if "release-notes" in file.name:
            continue
        english = blocks(file.read_text())
        for language in LANGUAGES:
            other = folder / language / file.relative_to(folder / "en")
            theirs = blocks(other.read_text()) if other.exists() else []
            if len(theirs) == len(english):
                for ours, sections in zip(english, theirs):
                    if len(ours) == len(sections):
                        yield from ((language, a, b) for a, b in zip(ours, sections))


def wordnet_words(wordnet: Path, tables: list[Path]) -> Iterator[tuple[str, str, str]]:
    """The first two English words of a synset with each word of its translations. `wordnet` has data.noun and the others; `tables` are
    files wn-*-<language>.tab of the Open Multilingual Wordnet."""
    english = {}
    for letter, part in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        for line in open(wordnet / f"data.{part}", encoding="latin1"):
            if not line.startswith(" "):
                fields = line.split(" ")
                english[f"{fields[0]}-{letter}"] = [re.sub(r"\(.*\)", "", fields[4 + 2 * index]).replace("_", " ") for index in range(int(fields[3], 16))]
    for table in tables:
        language = WORDNETS.get(table.stem.split("-")[-1])
        words = defaultdict(set)
        for line in open(table, errors="replace") if language else ():
            fields = line.rstrip("\n").split("\t")
            if len(fields) >= 3 and "lemma" in fields[1]:
                words[fields[0].replace("-s", "-a")].add(re.sub("[\u064b-\u0652]", "", fields[2].replace("+", " ").replace("_", " ").strip()))
        for synset, translations in words.items():
            yield from ((language, word, other) for other in sorted(translations) for word in english.get(synset, [])[:2] if word.lower() != other.lower())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogues", type=Path, nargs="*", default=[], help="folders with .mo files, one folder below for each package")
    parser.add_argument("--sentences", nargs="*", default=[], metavar="LANGUAGE=FILE", help="files of lines: English, translation, tab-separated")
    parser.add_argument("--documentation", nargs="*", default=[], metavar="LANGUAGE=FOLDER", help="folders with .po files")
    parser.add_argument("--markdown", type=Path, nargs="*", default=[], help="folders with one folder for each language, en among them")
    parser.add_argument("--corpus", type=Path, help="folder with pairs.tsv.zst; its pairs bitext-en-*")
    parser.add_argument("--wordnet", type=Path, help="folder with data.noun of WordNet 3.0")
    parser.add_argument("--wordnet-tables", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True, help="writes language, English, translation, source; tab-separated")
    options = parser.parse_args()
    seen, counts = set(), Counter()
    with open(options.out, "w") as out:
        def add(language: str, english: str, other: str, source: str) -> None:
            english, other = plain(english), plain(other)
            if (source == "word" or may_be_translation(language, english, other)) and (language, english, other) not in seen:
                seen.add((language, english, other))
                counts[language, source.split("/")[0]] += 1
                out.write(f"{language}\t{english}\t{other}\t{source}\n")

        for folder in options.catalogues:
            for row in catalogues(folder):
                add(*row)
        for language, path in (item.split("=", 1) for item in options.sentences):
            for line in open(path, errors="replace"):
                fields = line.rstrip("\n").split("\t")
                if len(fields) >= 2:
                    add(language, fields[0], fields[1], "sentences")
        for language, path in (item.split("=", 1) for item in options.documentation):
            for english, other in documentation_catalogue(Path(path)):
                add(language, english, other, "documentation")
        for folder in options.markdown:
            for language, english, other in translated_markdown(folder):
                add(language, english, other, "markdown")
        for line in read_lines(options.corpus / "pairs.tsv") if options.corpus else ():
            english, other, source = line.split("\t")
            if source.startswith("bitext-en-") and not NON_COMMERCIAL & set(source.split("/")) and source[10:12] in LANGUAGES:
                add(source[10:12], english, other, source)
        if options.wordnet:
            for language, english, other in wordnet_words(options.wordnet, options.wordnet_tables):
                add(language, english, other, "word")
    print(dict(counts))


if __name__ == "__main__":
    main()
