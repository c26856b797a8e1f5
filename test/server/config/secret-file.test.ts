// A secret that comes from a file, as Docker and Kubernetes mount it, and every file that is no secret.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../src/server/config/config.ts";
import { ConfigError } from "../../../src/server/config/config-file.ts";
import { allSettings, generalSettings, variableOf } from "../../../src/server/config/settings.ts";
import { cleanUp, run, serve } from "../../cli/command.ts";
import { notRoot, testWith } from "../../needs.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "memledger-secret-"));
});
afterAll(async () => {
  await cleanUp();
  rmSync(folder, { recursive: true });
});

const llm = { MEMLEDGER_LLM_BASE_URL: "http://127.0.0.1:9/v1", MEMLEDGER_LLM_MODEL: "m" };

function load(variables: Readonly<Record<string, string>>, flags: Readonly<Record<string, string>> = {}) {
  return loadConfig({
    flags: { "data-dir": join(folder, "data"), ...flags },
    variables: { ...llm, ...variables },
  });
}

function fault(variables: Readonly<Record<string, string>>): string {
  try {
    load(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `secret-${++files}`);
  writeFileSync(path, content);
  return path;
}

describe("a secret in a file", () => {
  test.each([
    ["with a line break at its end", "sk-12345\n"],
    ["with a line break of Windows", "sk-12345\r\n"],
    ["without a line break", "sk-12345"],
  ])("%s", (_, content) => {
    const { config, reports } = load({ MEMLEDGER_LLM_API_KEY_FILE: file(content) });
    expect(config.llm?.apiKey).toBe("sk-12345");
    const report = reports.find(({ name }) => name === "llm-api-key");
    expect(report).toEqual({ name: "llm-api-key", value: "(hidden)", source: "MEMLEDGER_LLM_API_KEY_FILE" });
  });

  test("that every user can read, mounted as Kubernetes does: a link to a link to a folder that is replaced", () => {
    const mount = join(folder, "mount");
    mkdirSync(join(mount, "..2026_11_22"), { recursive: true });
    writeFileSync(join(mount, "..2026_11_22", "key"), "sk-mounted\n", { mode: 0o444 });
    symlinkSync("..2026_11_22", join(mount, "..data"));
    symlinkSync("..data/key", join(mount, "key"));
    expect(load({ MEMLEDGER_LLM_API_KEY_FILE: join(mount, "key") }).config.llm?.apiKey).toBe("sk-mounted");
  });

  test("exists for every setting that is a secret, and for no other setting", () => {
    const secrets = allSettings.filter(({ secret }) => secret);
    expect(secrets.map(({ name }) => name)).toEqual(["llm-api-key", "gateway.api-key"]);
    for (const setting of generalSettings.filter(({ secret }) => !secret)) {
      const variable = `${variableOf(setting)}_FILE`;
      expect(fault({ [variable]: file("x") })).toContain(`Unknown environment variable ${variable}`);
    }
  });

  test("is not read if an option of the command line has the secret, or the variable is empty", () => {
    const missing = { MEMLEDGER_LLM_API_KEY_FILE: join(folder, "missing") };
    expect(load(missing, { "llm-api-key": "sk-flag" }).config.llm?.apiKey).toBe("sk-flag");
    const empty = { MEMLEDGER_LLM_API_KEY_FILE: "", MEMLEDGER_LLM_API_KEY: "sk-variable" };
    expect(load(empty).config.llm?.apiKey).toBe("sk-variable");
  });
});

describe("what is no secret", () => {
  const missing = () => join(folder, "missing");
  test.each<[string, () => string, string]>([
    ["a missing file", missing, "cannot be read: it does not exist. Correct the path"],
    ["a directory", () => folder, "it is not a regular file."],
    ["a device", () => "/dev/zero", "it is not a regular file."],
    ["an empty file", () => file(""), "is empty. Write the secret into it"],
    ["a line break only", () => file("\n"), "is empty."],
    ["a large file", () => file("x".repeat(16 * 1024 + 1)), "it has 16385 bytes; the maximum is 16384."],
    ["two lines", () => file("sk-first\nsk-second\n"), "has more than one line."],
    ["a space in it", () => file("sk 12345"), "must be a key of visible ASCII characters."],
    [
      "bytes that are no text",
      () => file(new Uint8Array([0xff, 0xfe, 0])),
      "must be a key of visible ASCII characters.",
    ],
    ["a path below a file", () => join(file("x"), "y"), "cannot be read: a part of the path is a file"],
  ])("%s", (_, path, said) => {
    const message = fault({ MEMLEDGER_LLM_API_KEY_FILE: path() });
    expect(message).toContain(said);
    expect(message).toContain("MEMLEDGER_LLM_API_KEY_FILE");
    expect(message).not.toMatch(/sk[- ]/);
  });

  testWith(notRoot)("a file of another user", () => {
    const path = file("sk-12345");
    chmodSync(path, 0);
    expect(fault({ MEMLEDGER_LLM_API_KEY_FILE: path })).toContain("permission denied");
  });

  test("a secret and a file of it at once", () => {
    const both = { MEMLEDGER_LLM_API_KEY_FILE: file("sk-file"), MEMLEDGER_LLM_API_KEY: "sk-variable" };
    expect(fault(both)).toBe(
      "MEMLEDGER_LLM_API_KEY and MEMLEDGER_LLM_API_KEY_FILE are both set. Unset one of them.",
    );
  });
});

test("commands show the source of a secret and never its value, and a client reads its API key from a file", async () => {
  const variables = { ...llm, MEMLEDGER_LLM_API_KEY_FILE: file("sk-12345\n") };
  const dataDir = join(folder, "served");
  const printed = await run(["config", "print", "--data-dir", dataDir], variables);
  expect(printed.stdout).toMatch(/llm-api-key +\(hidden\) +MEMLEDGER_LLM_API_KEY_FILE/);
  expect(printed.stdout).not.toContain("sk-12345");
  const wrong = await run(["serve", "--data-dir", dataDir], { ...llm, MEMLEDGER_LLM_API_KEY_FILE: folder });
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain(
    `memledger: The file ${folder} in MEMLEDGER_LLM_API_KEY_FILE cannot be used`,
  );

  const server = await serve(dataDir);
  const key = file(`${server.ready.api_key}\n`);
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const message = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`;
  const answered = await run(
    ["mcp", "--url", server.url],
    { MEMLEDGER_API_KEY_FILE: key },
    Buffer.from(message),
  );
  expect(answered.stdout).toContain('"serverInfo"');
  expect([answered.exitCode, answered.stderr]).toEqual([0, ""]);
  await server.end("SIGTERM");
});
