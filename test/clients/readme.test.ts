// Holds the pages of the clients, and the Python client, to the rules of the TypeScript client: both send and fail alike.

import { expect, test } from "bun:test";
import { longTimeoutDefaultMs, timeoutDefaultMs } from "../../clients/typescript/src/calls.ts";
import { classByStatus } from "../../clients/typescript/src/errors.ts";
import { delayMaxMs, firstDelayMaxMs, retryAfterMaxSeconds } from "../../clients/typescript/src/retries.ts";
import { baseUrlDefault, maxRetriesDefault } from "../../clients/typescript/src/settings.ts";
import { errorStatus } from "../../src/platform/errors.ts";
import { read, tableOf } from "../docs/pages.ts";

const pages = ["clients/typescript/README.md", "clients/python/README.md"];
const python = (file: string) => read(`clients/python/src/memledger/${file}`);
const constant = (file: string, name: string) => new RegExp(`^${name} = (.*)$`, "m").exec(python(file))?.[1];

test.each(pages)("%s lists the errors with their statuses", (page) => {
  const rows = tableOf(page, "error").map(([name = "", status = ""]) => [name.replaceAll("`", ""), status]);
  const byClass = Map.groupBy(Object.entries(classByStatus), ([, kind]) => kind.name);
  const expected = [...byClass].map(([name, statuses]) => [
    name,
    statuses.map(([status]) => status).join(", "),
  ]);
  expect(rows.filter(([, status]) => status !== "")).toEqual(expected);
});

/** Only in records: the client that has closed the connection gets no answer. */
const neverAnswered = errorStatus[1499];

test("every status of the API has a class", () => {
  const known = [...Object.keys(classByStatus).map(Number), neverAnswered];
  expect(Object.values(errorStatus).filter((status) => !known.includes(status))).toEqual([]);
});

test("both clients have the same classes of errors, limits and defaults", () => {
  const classes = [...python("_errors.py").matchAll(/^ {4}(\d+): (\w+),$/gm)].map(([, status, name]) => [
    status,
    name,
  ]);
  expect(classes).toEqual(Object.entries(classByStatus).map(([status, kind]) => [status, kind.name]));
  expect({
    timeout: Number(constant("_calls.py", "TIMEOUT_DEFAULT_SECONDS")) * 1_000,
    longTimeout: Number(constant("_calls.py", "LONG_TIMEOUT_DEFAULT_SECONDS")) * 1_000,
    firstDelay: Number(constant("_retries.py", "FIRST_DELAY_MAX_SECONDS")) * 1_000,
    delay: Number(constant("_retries.py", "DELAY_MAX_SECONDS")) * 1_000,
    retryAfter: Number(constant("_retries.py", "RETRY_AFTER_MAX_SECONDS")),
    maxRetries: Number(constant("_settings.py", "MAX_RETRIES_DEFAULT")),
    baseUrl: JSON.parse(constant("_settings.py", "BASE_URL_DEFAULT") ?? ""),
  }).toEqual({
    timeout: timeoutDefaultMs,
    longTimeout: longTimeoutDefaultMs,
    firstDelay: firstDelayMaxMs,
    delay: delayMaxMs,
    retryAfter: retryAfterMaxSeconds,
    maxRetries: maxRetriesDefault,
    baseUrl: baseUrlDefault,
  });
});

test.each<[string, string, string]>([
  [
    "clients/typescript/README.md",
    "timeoutMs",
    `default ${figure(timeoutDefaultMs)}, and ${figure(longTimeoutDefaultMs)} for`,
  ],
  ["clients/typescript/README.md", "maxRetries", `default ${maxRetriesDefault}`],
  [
    "clients/python/README.md",
    "timeout",
    `default ${timeoutDefaultMs / 1_000}, and ${longTimeoutDefaultMs / 1_000} for`,
  ],
  ["clients/python/README.md", "max_retries", `default ${maxRetriesDefault}`],
])("%s has the default of %s", (page, name, expected) => {
  const rows = [...tableOf(page, "option"), ...tableOf(page, "argument")];
  expect(rows.find(([option]) => option === `\`${name}\``)?.[1]).toContain(expected);
});

test.each(pages)("%s has the limits of retries", (page) => {
  const text = read(page).replaceAll("\n", " ");
  expect(text).toContain(`up to ${delayMaxMs / 1_000} seconds`);
  expect(text).toContain("longer than a minute");
  expect(retryAfterMaxSeconds).toBe(60);
});

function figure(value: number): string {
  return value.toLocaleString("en");
}
