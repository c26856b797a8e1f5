// Settings of earlier versions are accepted from every source, and named.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../src/server/config/config.ts";

const dataDir = mkdtempSync(join(tmpdir(), "memledger-retired-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

test("settings of the answer cache change nothing and are named with their source", () => {
  const file = join(dataDir, "memledger.toml");
  writeFileSync(file, "[gateway]\ncache-seconds = 3600\nexchanges = 7\n");
  const flags = { "data-dir": dataDir, "gateway.cache-mb": "8" };
  const { config, retired, reports } = loadConfig({
    flags,
    variables: { MEMLEDGER_GATEWAY_CACHE_SECONDS: "60" },
  });
  expect(config.gateway.exchangesMax).toBe(7);
  expect(retired).toEqual([
    "MEMLEDGER_GATEWAY_CACHE_SECONDS",
    `gateway.cache-seconds in ${file}`,
    "--gateway-cache-mb",
  ]);
  expect(reports.some(({ name }) => name.includes("cache-seconds"))).toBe(false);
});

test("without them nothing is named", () => {
  expect(loadConfig({ flags: { "data-dir": join(dataDir, "none") } }).retired).toEqual([]);
});
