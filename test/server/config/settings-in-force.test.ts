// Tests that the settings in force are those of `config print`, with their sources, and without secrets.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../src/server/config/config.ts";
import { settingsInForce } from "../../../src/server/config/settings-in-force.ts";

test("each setting has its value, where it came from, and how to change it", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "memledger-settings-"));
  try {
    writeFileSync(join(dataDir, "memledger.toml"), 'log-level = "debug"\n[plans.free]\nmemory-limit = 5\n');
    const { reports } = loadConfig({
      flags: { "data-dir": dataDir, port: "0", "llm-base-url": "https://llm.example.com/v1?key=hush" },
      variables: {
        MEMLEDGER_HOST: "127.0.0.2",
        MEMLEDGER_LLM_MODEL: "small",
        MEMLEDGER_LLM_API_KEY: "sk-very-secret",
      },
    });
    const settings = settingsInForce(reports);
    expect(settings.map(({ name }) => name)).toEqual(reports.map(({ name }) => name));
    const find = (wanted: string) => settings.find(({ name }) => name === wanted);
    expect(find("port")).toMatchObject({
      value: 0,
      source_kind: "flag",
      source: "--port",
      flag: "--port",
      variable: "MEMLEDGER_PORT",
    });
    expect(find("host")).toMatchObject({
      value: "127.0.0.2",
      source_kind: "variable",
      source: "MEMLEDGER_HOST",
    });
    expect(find("log-level")).toMatchObject({ value: "debug", source_kind: "file" });
    expect(find("log-level")?.source).toEndWith("memledger.toml");
    expect(find("idle-timeout-seconds")).toMatchObject({ source_kind: "default", source: "default" });
    expect(find("plans.free.memory-limit")).toMatchObject({ value: 5, flag: null, variable: null });
    expect(find("llm-api-key")).toMatchObject({ value: "(hidden)" });
    expect(find("llm-base-url")).toMatchObject({ value: "https://llm.example.com/v1?(hidden)" });
    expect(JSON.stringify(settings)).not.toMatch(/sk-very-secret|hush/);
    expect(settings.every(({ description }) => description.length > 10)).toBe(true);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
