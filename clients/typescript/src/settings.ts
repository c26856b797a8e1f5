// Owns the options of a client: their defaults, the environment variable of the key, and the check of each. Must never show a key.

import { MemledgerError } from "./errors.ts";
import { version } from "./generated/operations.ts";

export interface ClientOptions {
  /**
   * An API key, `ml_...`; for projects, keys, plans and the chain of the installation an administration key, `mla_...`. Default: the environment variable MEMLEDGER_API_KEY. Null: requests are sent without a key, because `fetch` adds
   * credentials of its own.
   */
  readonly apiKey?: string | null | undefined;
  /** Address of the server. Default: http://127.0.0.1:8420 */
  readonly baseUrl?: string | undefined;
  /**
   * How long one attempt of a call may take, in milliseconds. Default: 60 seconds, and 10 minutes for operations that may run that long,
   * such as an extraction with a language model.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a call is sent again, if that changes nothing twice. Default: 3 */
  readonly maxRetries?: number | undefined;
  /** Whose memories all calls of this client are for, such as `user:42`. Default: those that each call names. */
  readonly subject?: string | undefined;
  /** The person for whom all calls of this client are made: their records name it as your claim. Default: nobody. */
  readonly onBehalfOf?: string | undefined;
  /** Sends the requests. Default: the `fetch` of the runtime. */
  readonly fetch?: Fetch | undefined;
  /** Waits between attempts; rejects with the reason of the signal. Tests replace it. */
  readonly sleep?: Sleep | undefined;
  /** A number from 0 to 1 that spreads the retries of many clients. Tests replace it. */
  readonly random?: (() => number) | undefined;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface Settings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: the default of the operation. */
  readonly timeoutMs: number | null;
  readonly maxRetries: number;
  readonly fetch: Fetch;
  readonly sleep: Sleep;
  readonly random: () => number;
}

export const baseUrlDefault = "http://127.0.0.1:8420";
export const maxRetriesDefault = 3;
const keyVariable = "MEMLEDGER_API_KEY";

/** @throws MemledgerError for an option that is not valid, and without a key */
export function readSettings(options: ClientOptions): Settings {
  return {
    baseUrl: readBaseUrl(options.baseUrl ?? baseUrlDefault),
    headers: {
      ...authorization(options.apiKey),
      ...userAgent(),
      ...subjectHeader(options.subject),
      ...personHeader(options.onBehalfOf),
    },
    timeoutMs: readTimeoutMs(options.timeoutMs) ?? null,
    maxRetries: readMaxRetries(options.maxRetries) ?? maxRetriesDefault,
    // Called without an object: browsers refuse their own `fetch` as a method of another one.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
  };
}

/** @throws MemledgerError unless it is a number of milliseconds that a timer can wait */
export function readTimeoutMs(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || (timeoutMs > 0 && timeoutMs < 2 ** 31)) return timeoutMs;
  throw new MemledgerError(
    `timeoutMs is ${timeoutMs}. Give a number of milliseconds above 0 and below 2147483648.`,
  );
}

/** @throws MemledgerError unless it is a small whole number */
export function readMaxRetries(maxRetries: number | undefined): number | undefined {
  if (maxRetries === undefined) return undefined;
  if (Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= 100) return maxRetries;
  throw new MemledgerError(`maxRetries is ${maxRetries}. Give a whole number from 0 to 100.`);
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new MemledgerError(
      `baseUrl is no address of a server. Give one such as ${baseUrlDefault}, without a query.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new MemledgerError("baseUrl contains a user name or a password. Give the key as apiKey.");
  return url.href.replace(/\/+$/, "");
}

function authorization(given: string | null | undefined): Readonly<Record<string, string>> {
  return given === null ? {} : { Authorization: `Bearer ${readKey(given)}` };
}

function readKey(given: string | undefined): string {
  const key = (given ?? environmentVariable(keyVariable) ?? "").trim();
  if (key === "") throw new MemledgerError(`No API key. Give apiKey, or set ${keyVariable}.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new MemledgerError(
      `The API key contains a character that no key has. Check apiKey, or ${keyVariable}.`,
    );
  return key;
}

interface ProcessWithEnvironment {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Undefined in browsers, and in Deno without the permission to read it. */
function environmentVariable(name: string): string | undefined {
  const process: ProcessWithEnvironment | undefined = Reflect.get(globalThis, "process");
  try {
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}

/** Browsers have their own, and a header of ours would need the consent of the server (CORS). */
/** @throws MemledgerError for what no subject is called */
export function subjectHeader(subject: string | undefined): Readonly<Record<string, string>> {
  return nameHeader("Memledger-Subject", "subject", subject);
}

/** @throws MemledgerError for what no person is called */
export function personHeader(person: string | undefined): Readonly<Record<string, string>> {
  return nameHeader("Memledger-On-Behalf-Of", "onBehalfOf", person);
}

/** Headers are bytes: each character stands for one of the UTF-8 form. */
function nameHeader(
  header: string,
  option: string,
  name: string | undefined,
): Readonly<Record<string, string>> {
  if (name === undefined) return {};
  if (name === "" || /\p{Cc}/u.test(name))
    throw new MemledgerError(`${option} is ${JSON.stringify(name)}. Give a name without control characters.`);
  return { [header]: String.fromCharCode(...new TextEncoder().encode(name)) };
}

function userAgent(): Readonly<Record<string, string>> {
  const isBrowser = !("process" in globalThis || "Deno" in globalThis);
  return isBrowser ? {} : { "User-Agent": `memledger-typescript/${version}` };
}

/** Waits; rejects with the reason of the signal. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
