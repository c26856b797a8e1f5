// Owns the headers with which a client says how the gateway treats its request, and in which order the request, its key, the upstream and
// the configuration decide. Must never accept a value with a typing error, because nobody would notice that it has no effect.

import type { KeyGateway } from "../access/key-gateway.ts";
import { toTags } from "../memory/tags.ts";
import { fieldRefusal, Refusal } from "../platform/errors.ts";
import { promptMaxCharacters, tagMaxCharacters, tagsMax } from "../platform/limits.ts";
import { labelFault } from "../platform/schema/schema-fault.ts";
import { decodePercent } from "../platform/text/percent-encoding.ts";
import { upstreamKeyHeader } from "./headers.ts";
import type { UpstreamMemory } from "./upstream.ts";

/** What the request says. Undefined: nothing. */
export interface RequestSettings {
  readonly memory: KeyGateway["memory"];
  readonly remembers?: boolean;
  /** The key of the client for the upstream; null: none. Must never be stored, logged or recorded. */
  readonly upstreamKey: string | null;
}

/** @throws Refusal 1400 for a malformed value */
export function readRequestSettings(headers: Headers): RequestSettings {
  const isOn = readChoice(headers, "Memledger-Memory", { on: true, off: false });
  const maxCharacters = readNumber(headers, "Memledger-Memory-Budget", {
    max: promptMaxCharacters,
    isWhole: true,
  });
  const minSimilarity = readNumber(headers, "Memledger-Memory-Floor", { max: 1, isWhole: false });
  const tags = readTags(headers, "Memledger-Memory-Tags");
  const failure = readChoice(headers, "Memledger-Memory-Failure", {
    open: "fail_open" as const,
    closed: "fail_closed" as const,
  });
  const remembers = readChoice(headers, "Memledger-Remember", {
    on: true,
    off: false,
    true: true,
    false: false,
  });
  return {
    memory: {
      ...(isOn === null ? {} : { isOn }),
      ...(maxCharacters === null ? {} : { maxCharacters }),
      ...(minSimilarity === null ? {} : { minSimilarity }),
      ...(tags === null ? {} : { tags }),
      ...(failure === null ? {} : { failure }),
    },
    ...(remembers === null ? {} : { remembers }),
    upstreamKey: headers.get(upstreamKeyHeader),
  };
}

/** The request decides, then its key, then the upstream. */
export function memoryFor(
  request: RequestSettings["memory"],
  key: KeyGateway | null,
  upstream: UpstreamMemory,
): UpstreamMemory {
  return { ...upstream, ...key?.memory, ...request };
}

/** The request decides, then its key, then the configuration. */
export function remembersFor(
  request: Pick<RequestSettings, "remembers">,
  key: KeyGateway | null,
  configured: boolean,
): boolean {
  return request.remembers ?? key?.remembers ?? configured;
}

function readChoice<Value>(
  headers: Headers,
  name: string,
  values: Readonly<Record<string, Value>>,
): Value | null {
  const text = headers.get(name);
  if (text === null) return null;
  const value = Object.hasOwn(values, text) ? values[text] : undefined;
  if (value === undefined) throw headerRefusal(name, `must be ${Object.keys(values).join(" or ")}`);
  return value;
}

function readNumber(
  headers: Headers,
  name: string,
  { max, isWhole }: { readonly max: number; readonly isWhole: boolean },
): number | null {
  const text = headers.get(name);
  if (text === null) return null;
  const form = isWhole ? /^[0-9]{1,10}$/ : /^[0-9]{1,10}(\.[0-9]{1,10})?$/;
  const value = Number(text);
  if (form.test(text) && value <= max) return value;
  throw headerRefusal(name, `must be a ${isWhole ? "whole number" : "number"} from 0 to ${max}`);
}

/** Separated by commas. Characters outside of ASCII are percent-encoded, as in URLs. */
function readTags(headers: Headers, name: string): readonly string[] | null {
  const text = headers.get(name);
  if (text === null) return null;
  const tags = text.split(",").map((each) => decode(name, each.trim()));
  if (
    tags.length <= tagsMax &&
    tags.every((each) => labelFault({ maxLength: tagMaxCharacters }, each) === null)
  )
    return toTags(tags);
  throw headerRefusal(
    name,
    `must be 1 to ${tagsMax} tags separated by commas, such as team:payments,release. Encode other characters than ASCII as in URLs`,
  );
}

function decode(name: string, text: string): string {
  const decoded = decodePercent(text);
  if (decoded === null) throw headerRefusal(name, "has a % that encodes no character. Write it as %25");
  return decoded;
}

function headerRefusal(name: string, reason: string): Refusal {
  const { message } = fieldRefusal(name, reason);
  return new Refusal(1400, message.replace(/^Field/, "Header"), { field: name, reason });
}
