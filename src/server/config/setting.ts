// Owns the kinds of settings: which texts and TOML values each kind accepts, and how a message describes them.
// Must never read a file or the environment.

import { resolve } from "node:path";
import { limitMax } from "../../access/limits.ts";

export interface Setting<Value> {
  /** `search-cache-mb`, or `plans.pro.hash` for a key of a table. */
  readonly name: string;
  readonly default: Value;
  /** Completes the sentence "It must be ...". */
  readonly expectation: string;
  readonly description: string;
  /** The name of the value in `--help`. */
  readonly placeholder: string;
  /** Never printed. */
  readonly secret: boolean;
  /** Converts a text or a TOML value; undefined: it is invalid. Relative paths are relative to `base`. */
  read(raw: unknown, base: string): Value | undefined;
}

export type Naming = Readonly<{ name: string; description: string; secret?: boolean }>;

/** Completes a kind of settings. */
export function setting<Value>(
  naming: Naming,
  fallback: Value,
  kind: Pick<Setting<Value>, "expectation" | "placeholder" | "read">,
): Setting<Value> {
  return { secret: false, ...naming, default: fallback, ...kind };
}

export function text(naming: Naming, fallback: string): Setting<string> {
  return setting(naming, fallback, {
    expectation: "a text without spaces",
    placeholder: "text",
    read: (raw) => (typeof raw === "string" && /^[^\s]+$/.test(raw) ? raw : undefined),
  });
}

/** A name of another program's objects; it may contain spaces. */
export function name(naming: Naming): Setting<string | null> {
  const maximum = 200;
  return setting<string | null>(naming, null, {
    expectation: `a name of at most ${maximum} characters`,
    placeholder: "name",
    read: (raw) => {
      const value = typeof raw === "string" ? raw.trim() : "";
      return value !== "" && value.length <= maximum && !/\p{Cc}/u.test(value) ? value : undefined;
    },
  });
}

/** A value of the header Authorization; must never be printed. */
export function secret(naming: Naming): Setting<string | null> {
  return setting<string | null>({ ...naming, secret: true }, null, {
    expectation: "a key of visible ASCII characters",
    placeholder: "key",
    read: (raw) => (typeof raw === "string" && /^[\x21-\x7e]+$/.test(raw) ? raw : undefined),
  });
}

/** The URL of another service. Credentials are refused, because URLs are printed. */
export function address(naming: Naming): Setting<string | null> {
  return setting<string | null>(naming, null, {
    expectation: "an http or https URL without credentials and fragment, such as http://127.0.0.1:11434/v1",
    placeholder: "url",
    read: (raw) => (typeof raw === "string" && isAddress(raw) ? raw : undefined),
  });
}

/** The URL of this server, to which paths are added. */
export function ownAddress(naming: Naming): Setting<string | null> {
  return setting<string | null>(naming, null, {
    expectation:
      "an http or https URL without path, credentials, query and fragment, such as https://memory.example.com",
    placeholder: "url",
    // The pages of the console have fixed paths, so they work at the root of a host only.
    read: (raw) =>
      typeof raw === "string" && isAddress(raw) && /^[^?/]+:\/\/[^?/]+\/?$/.test(raw) ? raw : undefined,
  });
}

function isAddress(text: string): boolean {
  const url = /^https?:\/\/[^\s/]/i.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === "" && url.password === "" && !text.includes("#");
}

export function directory<Fallback extends string | null>(
  naming: Naming,
  fallback: Fallback,
): Setting<string | Fallback> {
  return path(naming, fallback, { expectation: "the path of a directory", placeholder: "dir" });
}

export function file(naming: Naming): Setting<string | null> {
  return path(naming, null, { expectation: "the path of a file", placeholder: "file" });
}

function path<Fallback extends string | null>(
  naming: Naming,
  fallback: Fallback,
  kind: Pick<Setting<unknown>, "expectation" | "placeholder">,
): Setting<string | Fallback> {
  return setting<string | Fallback>(naming, fallback, {
    ...kind,
    read: (raw, base) =>
      typeof raw === "string" && raw.trim() !== "" && !raw.includes("\0") ? resolve(base, raw) : undefined,
  });
}

export function whole(naming: Naming, fallback: number, minimum: number, maximum: number): Setting<number> {
  return setting(naming, fallback, {
    expectation: `a whole number from ${minimum} to ${maximum}`,
    placeholder: "number",
    read: (raw) => readWhole(raw, minimum, maximum),
  });
}

/** A number without a default, such as that of threads, which depends on the machine. */
export function wholeOrNone(naming: Naming, minimum: number, maximum: number): Setting<number | null> {
  return setting<number | null>(naming, null, {
    expectation: `a whole number from ${minimum} to ${maximum}`,
    placeholder: "number",
    read: (raw) => readWhole(raw, minimum, maximum),
  });
}

/** Null means "unlimited". */
export function limit(naming: Naming, fallback: number | null, minimum: number): Setting<number | null> {
  const maximum = limitMax;
  return setting(naming, fallback, {
    expectation: `a whole number from ${minimum} to ${maximum}, or "unlimited"`,
    placeholder: "number|unlimited",
    read: (raw) => (raw === "unlimited" ? null : readWhole(raw, minimum, maximum)),
  });
}

const durationUnitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const durationForm = /^([1-9]\d{0,5})([mhd])$/;

/** A text such as `6h`; durationMs has its value. */
export function duration(naming: Naming, fallback: string): Setting<string> {
  return setting(naming, fallback, {
    expectation: "a number of minutes, hours or days, such as 30m, 6h or 7d",
    placeholder: "duration",
    read: (raw) => (typeof raw === "string" && durationForm.test(raw) ? raw : undefined),
  });
}

/** Milliseconds of the value of a setting of the kind `duration`. */
export function durationMs(value: string): number {
  const [, count = "", unit = ""] = durationForm.exec(value) ?? [];
  return Number(count) * (durationUnitsMs[unit] ?? Number.NaN);
}

export function amount(naming: Naming, fallback: number): Setting<number> {
  return setting(naming, fallback, {
    expectation: "a number of at least 0, such as 0.25",
    placeholder: "number",
    read: (raw) => {
      const number = typeof raw === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(raw) ? Number(raw) : raw;
      return typeof number === "number" && number >= 0 && number < 1e9 ? number : undefined;
    },
  });
}

export function toggle(naming: Naming, fallback: boolean): Setting<boolean> {
  const meanings = new Map<unknown, boolean>([
    [true, true],
    ["true", true],
    ["on", true],
    [false, false],
    ["false", false],
    ["off", false],
  ]);
  return setting(naming, fallback, {
    expectation: "true or false",
    placeholder: "true|false",
    read: (raw) => meanings.get(raw),
  });
}

export function choice<const Values extends readonly string[]>(
  naming: Naming,
  fallback: Values[number],
  values: Values,
): Setting<Values[number]> {
  return setting(naming, fallback, {
    expectation: `one of ${values.join(", ")}`,
    placeholder: values.join("|"),
    read: (raw): Values[number] | undefined => values.find((value) => value === raw),
  });
}

function readWhole(raw: unknown, minimum: number, maximum: number): number | undefined {
  const number = typeof raw === "string" && /^\d{1,15}$/.test(raw) ? Number(raw) : raw;
  const isValid = typeof number === "number" && Number.isInteger(number);
  return isValid && number >= minimum && number <= maximum ? number : undefined;
}
