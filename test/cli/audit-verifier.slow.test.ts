// Proves `memledger audit verifier`: the page that it writes is the one that the console saves, with the SHA-256 that it prints. test/console/
// opens the page.

import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifierFileName } from "../../src/transports/http/console/console-files.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test("the page is the one of the console, and its SHA-256 is printed", async () => {
  const file = join(createFolder(), "for auditors", "page.html");
  const { exitCode, object } = await runJson(["audit", "verifier", "--out", file]);
  const bytes = readFileSync(file);
  expect([exitCode, object]).toEqual([0, { file, bytes: bytes.length, sha256: hashOf(bytes) }]);
  const server = await serve(createFolder());
  const response = await fetch(`${server.url}/console/verifier.html`);
  expect(response.headers.get("content-disposition")).toContain(`"${verifierFileName}"`);
  expect(hashOf(await response.bytes())).toBe(hashOf(bytes));
  await server.end("SIGTERM");
  const { stdout } = await run(["audit", "verifier", "--out", file, "--force"]);
  expect(stdout).toContain(hashOf(bytes));
});

test("a file that exists is not replaced, and nothing is left behind", async () => {
  const folder = createFolder();
  const file = join(folder, "notes.txt");
  writeFileSync(file, "notes");
  const { exitCode, stderr } = await run(["audit", "verifier", "--out", file]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is not overwritten")]);
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["notes", ["notes.txt"]]);
  const key = join(folder, "audit.key");
  const reserved = await run(["audit", "verifier", "--out", key, "--data-dir", folder]);
  expect([reserved.exitCode, reserved.stderr]).toEqual([1, expect.stringContaining("is reserved")]);
});
