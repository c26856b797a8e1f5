// Owns what a detector of secrets returns.

/** A part of a text that looks like a secret, in UTF-16 offsets; the end is exclusive. */
export interface FoundSecret {
  /** What it is, such as "github" or "password". Clients see it. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** A detector is pure, and takes time linear in the length of the text. */
export type FindSecrets = (text: string) => readonly FoundSecret[];

/** The first group of each match, or the whole match without groups. */
export function* findMatches(text: string, pattern: RegExp, kind: string): Generator<FoundSecret> {
  for (const { index, 0: match, indices } of text.matchAll(pattern)) {
    const [start, end] = indices?.[1] ?? [index, index + match.length];
    yield { kind, start, end };
  }
}
