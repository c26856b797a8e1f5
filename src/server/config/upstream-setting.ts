// Owns the kinds of settings that only upstreams of the gateway have. Must never read a file or the environment.

import { Value } from "@sinclair/typebox/value";
import { patternMaxCharacters, patternsMax } from "../../gateway/limits.ts";
import type { ModelPrice } from "../../gateway/model-price.ts";
import { tag, toTags } from "../../memory/tags.ts";
import { isObject } from "../../platform/json/json.ts";
import { tagMaxCharacters, tagsMax } from "../../platform/limits.ts";
import { type Naming, type Setting, setting } from "./setting.ts";

/** A number from 0 to 1. */
export function share(naming: Naming): Setting<number | null> {
  return setting<number | null>(naming, null, {
    expectation: "a number from 0 to 1, such as 0.35",
    placeholder: "number",
    read: (raw) => (typeof raw === "number" && raw >= 0 && raw <= 1 ? raw : undefined),
  });
}

/** Canonical tags of memories; none: memories are not selected by tags. */
export function tags(naming: Naming): Setting<readonly string[]> {
  return setting<readonly string[]>(naming, [], {
    expectation: `at most ${tagsMax} tags of 1 to ${tagMaxCharacters} characters, such as ["team:payments"]`,
    placeholder: "list",
    read(raw) {
      const texts = textsOf(raw);
      if (texts === undefined || !texts.every((text) => Value.Check(tag, text))) return undefined;
      const canonical = toTags(texts);
      return canonical.length <= tagsMax ? canonical : undefined;
    },
  });
}

/** Names of models, or patterns. */
export function models(naming: Naming): Setting<readonly string[]> {
  return setting<readonly string[]>(naming, ["*"], {
    expectation: 'names of models or patterns, such as ["gpt-*", "o4-mini"]',
    placeholder: "list",
    read: textsOf,
  });
}

export function prices(naming: Naming): Setting<readonly ModelPrice[]> {
  return setting<readonly ModelPrice[]>(naming, [], {
    expectation:
      'a list of prices, such as [{ model = "gpt-*", input-usd = 1.25, cached-input-usd = 0.125, output-usd = 10 }]',
    placeholder: "list",
    read(raw) {
      if (!Array.isArray(raw) || raw.length > patternsMax) return undefined;
      const found = raw.map(toPrice).filter((price) => price !== undefined);
      return found.length === raw.length ? found : undefined;
    },
  });
}

/** As other lists, also one text with commas. */
function textsOf(raw: unknown): readonly string[] | undefined {
  const parts: unknown = typeof raw === "string" ? raw.split(",").map((part) => part.trim()) : raw;
  return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : undefined;
}

function toPrice(raw: unknown): ModelPrice | undefined {
  if (!isObject(raw)) return undefined;
  const { model, "input-usd": input, "output-usd": output, ...others } = raw;
  const { "cached-input-usd": cached = null, "cache-write-input-usd": written, ...more } = others;
  if (typeof model !== "string" || model === "" || model.length > patternMaxCharacters) return undefined;
  if (Object.keys(more).length > 0) return undefined;
  if (!isUsd(input) || !isUsd(output) || !(cached === null || isUsd(cached))) return undefined;
  const price = { model, inputUsd: input, outputUsd: output, cachedInputUsd: cached };
  if (written === undefined) return price;
  return isUsd(written) ? { ...price, cacheWriteInputUsd: written } : undefined;
}

function isUsd(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 1e9;
}
