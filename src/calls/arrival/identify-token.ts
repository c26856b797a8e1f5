// Owns whose call it is that presents a token. Must never change data.

import { unauthenticated } from "../../access/authorise.ts";
import { callerWithToken } from "../../access/caller.ts";
import type { Tokens } from "../../access/token.ts";
import type { KeyAdvice } from "../contract/request.ts";
import type { Store } from "../storage/store.ts";
import { type Actor, actorOfKey, anonymous } from "./actor.ts";

export interface TokenReaders {
  readonly store: Pick<Store, "access" | "subjects">;
  readonly tokens: Tokens;
}

/** A forged token tells nothing, and is that of no key. */
export async function identifyToken(
  { store: { access, subjects }, tokens }: TokenReaders,
  secret: string,
  { unknown }: KeyAdvice,
  now: number,
): Promise<Actor> {
  const token = tokens.read(secret);
  const known = token === null ? null : await access.findCallerOfKey(token.keyId);
  if (token === null || known === null) return { ...anonymous, invalid: unauthenticated(unknown) };
  const subject = await subjects.findById(known.project, token.subject);
  if (subject === null) return { ...anonymous, caller: known, invalid: ofNobody };
  return actorOfKey(callerWithToken(known, token, subject), now);
}

const ofNobody = unauthenticated(
  "The token is for a subject that was erased, or of whom nothing is stored any more. Ask for another one.",
);
