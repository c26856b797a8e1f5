// Owns the options of `memledger key create` and `key update` for the settings of a key for requests to the gateway.

import { InvalidArgumentError } from "commander";
import type { Json } from "../../platform/json/json.ts";
import { type Field, numberOr } from "./administration.ts";

/** The value that removes a setting from the key. */
const asConfigured = "default";

const choices = new Map<string, Json>([
  ["on", true],
  ["off", false],
  [asConfigured, null],
]);

export const gatewayFields: readonly Field[] = [
  {
    flags: "--gateway-memory <on|off|default>",
    field: "gateway/memory",
    description: "whether the gateway puts memory into requests of the key; default: as the upstream says",
    read: readChoice,
  },
  {
    flags: "--gateway-budget <number|default>",
    field: "gateway/memory_budget",
    description: "maximum number of characters of facts and contexts in one request",
    read: numberOr(asConfigured),
  },
  {
    flags: "--gateway-floor <number|default>",
    field: "gateway/memory_floor",
    description: "minimum similarity of facts and contexts, from 0 to 1",
    read: readFloor,
  },
  {
    flags: "--gateway-tags <list|default>",
    field: "gateway/memory_tags",
    description: "comma-separated tags that facts and contexts must have",
    read: readTags,
  },
  {
    flags: "--gateway-failure <open|closed|default>",
    field: "gateway/memory_failure",
    description:
      "a request whose memory cannot be found in time is sent without it (open), or refused (closed)",
    read: (text) => (text === asConfigured ? null : text),
  },
  {
    flags: "--remember <on|off|default>",
    field: "gateway/remember",
    description:
      "whether memories are extracted from the conversations of the key; default: as --gateway-remember of the server",
    read: readChoice,
  },
];

function readChoice(text: string, flags: string): Json {
  const value = choices.get(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`${optionOf(flags)} must be on, off or ${asConfigured}, not "${text}".`);
}

function readFloor(text: string, flags: string): Json {
  if (text === asConfigured) return null;
  if (/^\d(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    `${optionOf(flags)} must be a number from 0 to 1 or "${asConfigured}", not "${text}".`,
  );
}

function readTags(text: string): Json {
  if (text === asConfigured) return null;
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function optionOf(flags: string): string {
  return flags.split(" ")[0] ?? flags;
}
