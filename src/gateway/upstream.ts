// Owns what an upstream is: a server with an API of language models, and which settings of one are refused. Must never show its key.

import { isLoopback } from "../platform/network.ts";
import { patternMaxCharacters, patternsMax, upstreamNameMaxCharacters } from "./limits.ts";
import type { ModelPrice } from "./model-price.ts";

/** Which APIs an upstream has, and in which header it gets its key. */
export const upstreamKinds = ["openai", "anthropic"] as const;
export type UpstreamKind = (typeof upstreamKinds)[number];

export interface Upstream {
  /** `gateway_id` of records. */
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Such as `https://api.openai.com/v1` or `https://api.anthropic.com`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** Names of models, or patterns in which `*` is any text. */
  readonly models: readonly string[];
  readonly timeoutSeconds: number;
  /** Allows a key over plain HTTP to another machine. */
  readonly allowsPlainHttp: boolean;
  /** Whether streams of Chat Completions are asked for their usage. */
  readonly asksForUsage: boolean;
  /** Whether the user that a conversation names is its subject. */
  readonly subjectFromUser: boolean;
  /** The first one whose pattern names the model counts. */
  readonly prices: readonly ModelPrice[];
  readonly memory: UpstreamMemory;
}

/** How memory is put into requests for an upstream, unless the request says otherwise. */
export interface UpstreamMemory {
  readonly isOn: boolean;
  /** As `max_characters`, `min_similarity` and `tags` of an injection; null: the default of the injection. */
  readonly maxCharacters: number | null;
  readonly minSimilarity: number | null;
  readonly tags: readonly string[] | null;
  /** What happens without an injection in time: the request is sent without memory, or refused. */
  readonly failure: "fail_open" | "fail_closed";
  readonly deadlineMs: number;
}

/** Why an upstream cannot be used, as a sentence that begins with the setting; null: it can. */
export function findUpstreamFault({
  name,
  baseUrl,
  apiKey,
  models,
  allowsPlainHttp,
}: Upstream): string | null {
  if (!isLabel(name, upstreamNameMaxCharacters)) {
    return `name must have 1 to ${upstreamNameMaxCharacters} visible characters. Correct it.`;
  }
  if (models.length > patternsMax)
    return `models has more than ${patternsMax} names. Use patterns such as "gpt-*".`;
  if (models.length === 0) return 'models is empty. Name at least one model, or "*" for all.';
  if (!models.every((model) => isLabel(model, patternMaxCharacters))) {
    return `models contains a name that is empty or longer than ${patternMaxCharacters} characters. Correct it.`;
  }
  return findUrlFault(baseUrl) ?? findKeyFault(baseUrl, apiKey, allowsPlainHttp);
}

/** Why a key must not be sent to an upstream; null: it can, or there is none. A client that brings its own key is refused the same way. */
export function findKeyFault(
  baseUrl: string,
  apiKey: string | null,
  allowsPlainHttp: boolean,
): string | null {
  if (apiKey === null) return null;
  // A header with other characters could not be sent, and an error about it would contain the key.
  if (!/^[\x21-\x7e]{1,4096}$/.test(apiKey)) {
    return "api-key has characters that a header cannot contain. Correct it.";
  }
  if (isProtected({ baseUrl, allowsPlainHttp })) return null;
  return "base-url would send the API key over plain HTTP to another machine. Use https, or set allow-plain-http = true.";
}

/** Whether nobody between this machine and the upstream can read a credential, or the operator allows it. */
export function isProtected({
  baseUrl,
  allowsPlainHttp,
}: Pick<Upstream, "baseUrl" | "allowsPlainHttp">): boolean {
  const url = URL.parse(baseUrl);
  return url === null || url.protocol === "https:" || isLoopback(url.hostname) || allowsPlainHttp;
}

function findUrlFault(baseUrl: string): string | null {
  const url = URL.parse(baseUrl);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return "base-url is not an http or https URL. Set it to an address such as http://127.0.0.1:11434/v1.";
  }
  if (url.username !== "" || url.password !== "") {
    return "base-url contains a user name or a password. Remove them, and set api-key.";
  }
  if (url.search !== "" || url.hash !== "" || baseUrl.endsWith("?") || baseUrl.endsWith("#")) {
    return "base-url contains a query or a fragment. Remove it.";
  }
  return null;
}

function isLabel(text: string, maxCharacters: number): boolean {
  return text.length <= maxCharacters && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(text);
}
