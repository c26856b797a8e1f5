// The values of the setting `keep`.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../../../src/server/config/config.ts";
import { parseKeep } from "../../../src/server/depositing/keep-setting.ts";

test.each([
  ["/mnt/ledger", { kind: "folder", path: "/mnt/ledger" }],
  ["./ledger", { kind: "folder", path: "./ledger" }],
  ["s3://ledger", { kind: "bucket", bucket: "ledger", prefix: "" }],
  ["s3://ledger/", { kind: "bucket", bucket: "ledger", prefix: "" }],
  ["s3://ledger/a/b//", { kind: "bucket", bucket: "ledger", prefix: "a/b/" }],
  ["command:/usr/bin/tape  --to 1", { kind: "command", words: ["/usr/bin/tape", "--to", "1"] }],
  ["ledger", null],
  ["command:  ", null],
  ["s3://Ledger", null],
  ["s3://ledger/a?b", null],
  ["https://example.com", null],
])("%s", (setting, place) => {
  expect(parseKeep(setting)).toEqual(place as never);
});

test("several are separated by commas, and a relative folder is that of the working directory", () => {
  const { config } = loadConfig({ flags: { keep: "./one, s3://two,command:three" }, readsFile: false });
  expect(config.keep).toEqual([join(process.cwd(), "one"), "s3://two", "command:three"]);
  expect(config.keepDays).toBe(365);
  expect(() => loadConfig({ flags: { keep: "one" }, readsFile: false })).toThrow("begins with / or ./");
});
