// Owns how a test says what it needs and the machine lacks: the test is skipped, and its name ends with the reason.

import { describe, test } from "bun:test";

type Body = () => undefined | Promise<unknown>;

/** What is missing, or null. */
export type Missing = string | null;

const reasonIn = (name: string, missing: string) => `${name} [skipped: ${missing}]`;

export const testWith = (missing: Missing) => (name: string, run: Body, timeoutMs?: number) =>
  missing === null ? test(name, run, timeoutMs) : test.skip(reasonIn(name, missing), run);

export const describeWith = (missing: Missing) => (name: string, run: () => void) =>
  missing === null ? describe(name, run) : describe.skip(reasonIn(name, missing), run);

export const program = (name: string): Missing =>
  Bun.which(name) === null ? `${name} is not installed` : null;
export const linux: Missing = process.platform === "linux" ? null : "needs Linux";
export const notWindows: Missing = process.platform === "win32" ? "needs a system other than Windows" : null;
export const root: Missing = process.getuid?.() === 0 ? null : "needs root";
export const notRoot: Missing = process.getuid?.() === 0 ? "root may do what this test refuses" : null;
