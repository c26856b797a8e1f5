// Owns finding the secrets of a text. docs/user/EXTRACTION.md describes what is found and what is not. Must never log or return the text
// of a secret.

import type { FoundSecret } from "./found-secret.ts";
import { findByLibrary } from "./library-rules.ts";
import { findNamedValues } from "./named-values.ts";
import { findTokenFormats } from "./token-formats.ts";

/** In the order of the text, without overlaps. Of several detectors that find the same, the first one decides the kind. */
export async function findSecrets(text: string): Promise<FoundSecret[]> {
  const found = [...findTokenFormats(text), ...(await findByLibrary(text)), ...findNamedValues(text)];
  const merged: FoundSecret[] = [];
  for (const { kind, start, end } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || start >= last.end) merged.push({ kind, start, end });
    else if (end > last.end) merged[merged.length - 1] = { ...last, end };
  }
  return merged;
}
