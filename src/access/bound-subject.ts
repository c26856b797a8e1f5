// Owns which subjects a key may name: all, or those of its binding, the name of one or the beginning of many names.

import { Refusal } from "../platform/errors.ts";
import type { KeyOwner } from "./caller.ts";

/** A binding of this form holds for all subjects whose names begin with the text before it. */
const anyEnd = "*";

/** Whether each call must name its subject. A token is for one subject, whatever its name is. */
export function isForSeveral({ key, token }: Pick<KeyOwner, "key" | "token">): boolean {
  return token === undefined && key.subject?.endsWith(anyEnd) === true;
}

/**
 * The subject of a call. It depends on the names only, so nobody learns from it which subjects exist.
 * @param named in a header and in the input, canonical; null: not named there
 * @returns null: the project itself
 * @throws Refusal 1400 or 1403; no message has a name, because records have the messages
 */
export function chooseSubject(
  owner: Pick<KeyOwner, "key" | "token">,
  named: { readonly header: string | null; readonly input: string | null },
): string | null {
  const bound = owner.key.subject;
  const name = named.header ?? named.input;
  if (named.input !== null && named.input !== name) {
    throw new Refusal(
      1400,
      "The header Memledger-Subject and the field subject name different subjects. Send one of them.",
      {
        field: "subject",
        reason: "differs from the header Memledger-Subject",
      },
    );
  }
  if (bound === null) return name;
  const isPattern = isForSeveral(owner);
  if (name === null) {
    if (!isPattern) return bound;
    throw new Refusal(
      1400,
      "The API key is for several subjects. Name one of them in the field subject or the header Memledger-Subject.",
      { field: "subject", reason: "is missing" },
    );
  }
  if (isPattern ? name.startsWith(bound.slice(0, -anyEnd.length)) : name === bound) return name;
  throw new Refusal(1403, "Permission denied: the API key is for another subject. Use another key.");
}
