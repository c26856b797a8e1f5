"""The server's hybrid ranking (src/memory/ranking) in NumPy: where hard negatives come from, and what a reranker is compared with.

Words are split and stemmed as its index does for Latin scripts. No other script is needed here.
"""
import re
import unicodedata
from functools import lru_cache

import numpy as np
import snowballstemmer

STOP_WORDS = set("""what which who whom whose when where why how do does did am is are was were
has have had can could will would shall should""".split())
KEYWORD_WEIGHT = 0.7
STEMMER = snowballstemmer.stemmer("porter")


@lru_cache(500_000)
def stem(word: str) -> str:
    return STEMMER.stemWord(word)


def split_words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).lower())
    return re.findall(r"[^\W_]+", "".join(letter for letter in plain if not unicodedata.combining(letter)))


def query_words(text: str) -> list[str]:
    words = list(dict.fromkeys(split_words(text)))
    return [word for word in words if word not in STOP_WORDS] or words


class Hybrid:
    """Ranks `texts` by similarity and keywords. `vectors` are theirs, of unit length."""

    def __init__(self, texts: list[str], vectors: np.ndarray):
        self.vectors = vectors
        self.holders: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            for word in {stem(word) for word in split_words(text)}:
                self.holders.setdefault(word, []).append(row)

    def keywords(self, query: str) -> np.ndarray:
        """Keyword scores of all texts: the shares of the query's words that a text contains, weighted by squared rarity."""
        rows = len(self.vectors)
        found = [self.holders.get(stem(word), []) for word in query_words(query)]
        weights = [np.log(1 + (rows - len(each) + 0.5) / (len(each) + 0.5)) ** 2 for each in found]
        scores = np.zeros(rows)
        for each, weight in zip(found, weights, strict=True):
            scores[each] += weight / sum(weights)
        return np.minimum(scores, 1)

    def scores(self, query: str, vector: np.ndarray) -> np.ndarray:
        """Relevance of all texts, 0..1."""
        similarity = np.clip(self.vectors @ vector, 0, 1)
        return similarity + (1 - similarity) * KEYWORD_WEIGHT * self.keywords(query)
