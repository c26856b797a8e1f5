// Owns removing secrets from texts and items. Must never return the text of a secret, or where it was.

import type {
  ExtractedItem,
  ExtractionSource,
  UtteranceRange,
} from "../../../memory/extraction/extractor.ts";
import {
  addRedactions,
  type RedactedItems,
  type RedactedSource,
  type Redaction,
} from "../../../memory/extraction/redactor.ts";
import { findSecrets } from "./find-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";
import { toSearchable } from "./searchable-text.ts";
import { findUrlCredentials } from "./url-credentials.ts";

/** Where a secret was. A statement with it says too little to become a memory; a passage says more than that. */
const marker = "[secret-removed]";

export async function redactSource(given: ExtractionSource): Promise<RedactedSource> {
  const { text, utterances } = given;
  if (utterances === null) {
    const { text: clean, redacted } = await redactText(text);
    return { source: { ...given, text: clean }, redacted };
  }
  let clean = "";
  let end = 0;
  const moved: UtteranceRange[] = [];
  const redactions: Redaction[][] = [];
  for (const utterance of utterances) {
    const said = await redactText(text.slice(utterance.start, utterance.end));
    clean += text.slice(end, utterance.start);
    moved.push({ ...utterance, start: clean.length, end: clean.length + said.text.length });
    clean += said.text;
    end = utterance.end;
    redactions.push(said.redacted);
  }
  const source = { ...given, text: clean + text.slice(end), utterances: moved };
  return { source, redacted: addRedactions(...redactions) };
}

export async function redactItems(items: readonly ExtractedItem[]): Promise<RedactedItems> {
  const kept: ExtractedItem[] = [];
  const redactions: Redaction[][] = [];
  for (const item of items) {
    const { redacted } = await redactText(item.content);
    redactions.push(redacted);
    // An extractor may have taken the marker for markup and left it out, so the sentence is checked, too.
    const isAboutSecret =
      item.passage !== true && (item.content.includes(marker) || item.evidence.includes(marker));
    if (redacted.length === 0 && !isAboutSecret) kept.push(item);
  }
  return { items: kept, redacted: addRedactions(...redactions) };
}

/** Of an address, only user name and password are removed; they leave no marker, because the rest says something. */
async function redactText(text: string): Promise<{ readonly text: string; readonly redacted: Redaction[] }> {
  const credentials = await find(text, findUrlCredentials);
  const cut = replace(text, credentials, () => "");
  const secrets = await find(cut, findSecrets);
  const redacted = addRedactions([...credentials, ...secrets].map(({ kind }) => ({ kind, count: 1 })));
  return { text: replace(cut, secrets, toMarker), redacted };
}

async function find(
  text: string,
  detect: (searchable: string) => readonly FoundSecret[] | Promise<readonly FoundSecret[]>,
): Promise<readonly FoundSecret[]> {
  const searchable = toSearchable(text);
  return (await detect(searchable.text)).map(searchable.toWhole);
}

/** A password may end with "!", so the sign is removed with it. If it was the end of the sentence, the next one must not be lost. */
function toMarker(secret: string, after: string): string {
  return /[!?]$/.test(secret) && /^(?:\s|$)/.test(after) ? `${marker}.` : marker;
}

/** @param replacement of a secret; `after`: the character that follows it */
function replace(
  text: string,
  found: readonly FoundSecret[],
  replacement: (secret: string, after: string) => string,
): string {
  let replaced = "";
  let rest = 0;
  for (const { start, end } of found) {
    replaced += text.slice(rest, start) + replacement(text.slice(start, end), text.charAt(end));
    rest = end;
  }
  return replaced + text.slice(rest);
}
