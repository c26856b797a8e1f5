// Owns how a witness is named in the configuration: the URL of its submission prefix, and its verifier key.

import { runtimeCryptography } from "../runtime-cryptography.ts";
import { isCosigning, parseVerifierKeyOf, type VerifierKey } from "./verifier-key.ts";

export interface Witness {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: VerifierKey;
}

/** Null when it is not one. @param text `URL KEY` */
export function parseWitness(text: string): Witness | null {
  const [url = "", vkey = "", ...rest] = text.trim().split(/\s+/);
  const key = parseVerifierKeyOf(vkey, runtimeCryptography);
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  const isPlain = parsed?.username === "" && parsed.password === "" && !/[?#]/.test(url);
  if (!isPlain || key === null || !isCosigning(key) || rest.length > 0) return null;
  return { url: url.replace(/\/+$/, ""), key };
}
