// Owns removing secrets from texts and items. Must never return the text of a secret, or where it was.

import type { ExtractedItem, ExtractionSource, Turn } from "../../memory/extractor.ts";
import {
  addRedactions,
  type RedactedItems,
  type RedactedSource,
  type Redaction,
} from "../../memory/redactor.ts";
import { findSecrets } from "./find-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";
import { findUrlCredentials } from "./url-credentials.ts";

/** Where a secret was. An item with it says too little to become a memory. */
const marker = "[secret-removed]";

export async function redactSource({ text, turns }: ExtractionSource): Promise<RedactedSource> {
  if (turns === null) {
    const { text: clean, redacted } = await redactText(text);
    return { source: { text: clean, turns }, redacted };
  }
  let clean = "";
  let end = 0;
  const moved: Turn[] = [];
  const redactions: Redaction[][] = [];
  for (const turn of turns) {
    const said = await redactText(text.slice(turn.start, turn.end));
    clean += text.slice(end, turn.start);
    moved.push({ speaker: turn.speaker, start: clean.length, end: clean.length + said.text.length });
    clean += said.text;
    end = turn.end;
    redactions.push(said.redacted);
  }
  const source = { text: clean + text.slice(end), turns: moved };
  return { source, redacted: addRedactions(...redactions) };
}

export async function redactItems(items: readonly ExtractedItem[]): Promise<RedactedItems> {
  const kept: ExtractedItem[] = [];
  const redactions: Redaction[][] = [];
  for (const item of items) {
    const { redacted } = await redactText(item.content);
    redactions.push(redacted);
    if (redacted.length === 0 && !item.content.includes(marker)) kept.push(item);
  }
  return { items: kept, redacted: addRedactions(...redactions) };
}

/** Of an address, only user name and password are removed; they leave no marker, because the rest says something. */
async function redactText(text: string): Promise<{ readonly text: string; readonly redacted: Redaction[] }> {
  const credentials = findUrlCredentials(text);
  const cut = replace(text, credentials, "");
  const secrets = await findSecrets(cut);
  const redacted = addRedactions([...credentials, ...secrets].map(({ kind }) => ({ kind, count: 1 })));
  return { text: replace(cut, secrets, marker), redacted };
}

function replace(text: string, found: readonly FoundSecret[], replacement: string): string {
  let replaced = "";
  let end = 0;
  for (const secret of found) {
    replaced += text.slice(end, secret.start) + replacement;
    end = secret.end;
  }
  return replaced + text.slice(end);
}
