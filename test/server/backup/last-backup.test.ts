// What a data directory remembers about its backups: after a restart, and when the file is damaged.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  readBackupState,
  rememberBackup,
  rememberFailure,
} from "../../../src/calls/operations/backups/last-backup.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "memledger-last-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const last = { atMs: 1_795_000_000_000, bytes: 12_345, path: "/backups/a.tar.zst" };
const failure = { atMs: 1_795_000_100_000, message: "No space is left on the disk." };

test("nothing is known about a new directory, or one that does not exist", () => {
  expect(readBackupState(folder)).toEqual({ last: null, failure: null });
  expect(readBackupState(join(folder, "none"))).toEqual({ last: null, failure: null });
});

test("a failure keeps the last backup, and the next backup ends the failure", () => {
  rememberBackup(folder, last);
  rememberFailure(folder, failure);
  expect(readBackupState(folder)).toEqual({ last, failure });
  rememberBackup(folder, { ...last, bytes: 1 });
  expect(readBackupState(folder)).toEqual({ last: { ...last, bytes: 1 }, failure: null });
});

test.each(["", "not JSON", "[]", '{"last":{"at_ms":"soon"},"failure":7}'])(
  "a damaged file is as none: %p",
  (text) => {
    writeFileSync(join(folder, "memledger.backup"), text);
    expect(readBackupState(folder)).toEqual({ last: null, failure: null });
  },
);
