// Tests the warnings of the overview: when each is given, that each says what to do, and that the alert rules have the same limits.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addresses } from "../../../../../src/console/addresses.ts";
import { freeDiskCriticalBytes } from "../../../../../src/platform/files/limits.ts";
import type { InstallationFacts } from "../../../../../src/transports/http/console/overview/facts.ts";
import {
  backupAgeMaxMs,
  freeDiskMinBytes,
  freeDiskMinShare,
  unconfirmedAgeMaxMs,
  unsignedAgeMaxMs,
} from "../../../../../src/transports/http/console/overview/limits.ts";
import { findWarnings, warningRules } from "../../../../../src/transports/http/console/overview/warnings.ts";
import { tableOf } from "../../../../docs/pages.ts";

const dayMs = 86_400_000;
const now = Date.parse("2026-11-22T12:00:00Z");
const distribution = { counts: [], sum: 0 };

const town = {
  ...{ kind: "cosignature", name: "town", waiting: 1, failure: "It does not answer.", last: null },
  waitingSince: now - unconfirmedAgeMaxMs - 1,
};

const healthy: InstallationFacts = {
  at: now,
  version: "1.0.0",
  commit: "abc",
  dataDir: "/srv/memory data",
  startedAt: now - dayMs,
  searchIndexLimitBytes: 1,
  backupSchedule: { folder: "/backups", everyMs: dayMs, keep: 14 },
  format: 7,
  model: "model",
  extractor: "rules",
  certificate: { name: "memory.example.com", endsAt: now + 60 * dayMs, ending: null },
  addressWarning: null,
  isAccessibleToOthers: false,
  chainsWithFailure: 0,
  verifiedAt: null,
  internalErrors: 0,
  memoryMisses: { late: 0, failed: 0 },
  restartedThread: null,
  readiness: { ready: true, reasons: [] },
  disk: { freeBytes: 50e9, totalBytes: 100e9 },
  directory: null,
  files: null,
  contents: {
    memories: [],
    projects: 1,
    records: 10,
    unsignedRecords: 3,
    oldestUnsignedAt: now - 60_000,
    checkpointAt: now - 60_000,
    exports: [],
    rememberTasks: 0,
    freeBytes: 0,
    ofProjects: [],
  },
  confirmations: [],
  nearLimits: {
    keys: { count: 0, first: [] },
    memories: { count: 0, first: [] },
    credits: { count: 0, first: [] },
  },
  groups: {
    calls: distribution,
    transactionSeconds: distribution,
    commitSeconds: distribution,
    rolledBack: 0,
    records: 0,
    recordBytes: 0,
    retentionClockAheadMs: 0,
  },
  searches: null,
  backups: { last: { atMs: now - dayMs, bytes: 10, path: "/backups/a.tar.zst" }, failure: null },
  modelChange: null,
};

const last = { atMs: now - dayMs, bytes: 10, path: "/backups/a.tar.zst" };
const to = { id: "other", sha256: "00", dimensions: 256 };
const key = { name: "ci", project: "default", projectId: "p1", expiresAt: now + dayMs };
const contents = (oldestUnsignedAt: number | null) =>
  healthy.contents === null ? null : { ...healthy.contents, oldestUnsignedAt };

/** Facts with which exactly this warning is given. */
const cases: readonly (readonly [code: string, facts: Partial<InstallationFacts>, mentions: RegExp])[] = [
  ["not_ready", { readiness: { ready: false, reasons: ["the disk is full"] } }, /the disk is full/],
  ["internal_errors", { internalErrors: 1 }, /1 call failed/],
  ["memory_missing", { memoryMisses: { late: 183, failed: 1 } }, /184 requests .* 183 .* memory-deadline-ms/],
  ["thread_restarted", { restartedThread: "reader" }, /reader/],
  ["directory_accessible", { isAccessibleToOthers: true }, /chmod 700 '\/srv\/memory data'/],
  ["no_tls", { addressWarning: "Everyone can read." }, /--tls-cert/],
  [
    "certificate_ends",
    { certificate: { name: "a", endsAt: now + dayMs, ending: "The TLS certificate expires in 1 day" } },
    /SIGHUP/,
  ],
  [
    "clock_jumped",
    { groups: healthy.groups && { ...healthy.groups, retentionClockAheadMs: 7_200_000 } },
    /120 minutes/,
  ],
  ["disk_full", { disk: { freeBytes: freeDiskCriticalBytes - 1, totalBytes: 100e9 } }, /511 MiB/],
  ["disk_almost_full", { disk: { freeBytes: freeDiskMinBytes - 1, totalBytes: 2e9 } }, /953 MiB/],
  ["disk_almost_full", { disk: { freeBytes: 4e9, totalBytes: 100e9 } }, /3814 MiB/],
  ["backup_failed", { backups: { last, failure: { atMs: now, message: "No space." } } }, /No space\./],
  ["backup_missing", { backups: { last: null, failure: null } }, /memledger backup FILE --data-dir/],
  [
    "backup_too_old",
    { backups: { last: { ...last, atMs: now - backupAgeMaxMs - 1 }, failure: null } },
    /2026-11-20/,
  ],
  ["model_change_failed", { modelChange: { to, startedAt: now, done: 1, failure: "No file." } }, /--cancel/],
  ["model_changing", { modelChange: { to, startedAt: now, done: 1, failure: null } }, /1 memory done/],
  ["ledger_does_not_verify", { chainsWithFailure: 2 }, /memledger audit verify --data-dir/],
  ["checkpoint_too_old", { contents: contents(now - unsignedAgeMaxMs - 1) }, /3 records/],
  ["checkpoint_not_confirmed", { confirmations: [town] }, /wait for town since 2026-11-22T10:59/],
  [
    "key_expires",
    { nearLimits: healthy.nearLimits && { ...healthy.nearLimits, keys: { count: 7, first: [key] } } },
    /7 API keys .* "ci" of "default" on 2026-11-23, and 6 more/,
  ],
  [
    "memories_almost_full",
    {
      nearLimits: healthy.nearLimits && {
        ...healthy.nearLimits,
        memories: { count: 1, first: [{ project: "a", projectId: "p1", memories: 95, limit: 100 }] },
      },
    },
    /95 of 100/,
  ],
  [
    "credits_almost_used",
    {
      nearLimits: healthy.nearLimits && {
        ...healthy.nearLimits,
        credits: { count: 1, first: [{ project: "a", projectId: "p1", credits: 1 }] },
      },
    },
    /1 credit\b/,
  ],
];

describe("warnings", () => {
  test("there are none about an installation that needs nothing", () => {
    expect(findWarnings(healthy)).toEqual([]);
  });

  test("there are none about what is not known", () => {
    const unknown = Object.fromEntries(
      (["readiness", "disk", "contents", "nearLimits", "groups", "backups", "modelChange"] as const).map(
        (name) => [name, null],
      ),
    );
    expect(findWarnings({ ...healthy, ...unknown })).toEqual([]);
  });

  test.each(cases)("%s", (code, facts, mentions) => {
    const found = findWarnings({ ...healthy, ...facts });
    expect(found.map((warning) => warning.code)).toEqual([code]);
    expect(`${found[0]?.message} ${found[0]?.remedy}`).toMatch(mentions);
  });

  test("every rule has a case here", () => {
    const tested = new Set(cases.map(([code]) => code));
    expect(warningRules.map(({ code }) => code).filter((code) => !tested.has(code))).toEqual([]);
    expect(new Set(warningRules.map(({ code }) => code)).size).toBe(warningRules.length);
  });

  test("each has sentences, and a view that exists", () => {
    const patterns = Object.values(addresses).map(
      ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
    );
    for (const [, facts] of cases) {
      for (const { message, view } of findWarnings({ ...healthy, ...facts })) {
        expect(message).toMatch(/^[A-Z0-9].*\.$/);
        if (view !== null) expect(patterns.some((pattern) => pattern.test(view))).toBe(true);
      }
    }
  });

  test("the most severe ones are first", () => {
    const found = findWarnings({
      ...healthy,
      restartedThread: "reader",
      chainsWithFailure: 1,
      internalErrors: 1,
    });
    expect(found.map(({ severity }) => severity)).toEqual(["critical", "warning", "notice"]);
  });

  test("a schedule that makes a backup each week is not too late after three days", () => {
    const weekly = { folder: "/backups", everyMs: 7 * dayMs, keep: null };
    const backups = { last: { ...last, atMs: now - 3 * dayMs }, failure: null };
    expect(findWarnings({ ...healthy, backupSchedule: weekly, backups })).toEqual([]);
  });
});

test("the documentation has the same list", () => {
  const rows = warningRules.map(({ code, severity, when }) => [`\`${code}\``, severity, when]);
  expect(tableOf("docs/CONSOLE.md", "warning")).toEqual(rows);
});

test("the alert rules for Prometheus have the same limits", () => {
  const path = join(import.meta.dir, "../../../../../deploy/prometheus/memledger-alerts.yml");
  const rules = readFileSync(path, "utf8");
  const limitOf = (pattern: RegExp) => {
    const [, product = ""] = pattern.exec(rules) ?? [];
    return product.split("*").reduce((value, factor) => value * Number(factor), 1);
  };
  expect(limitOf(/memledger_disk_free_bytes < ([\de.]+)/)).toBe(freeDiskMinBytes);
  expect(limitOf(/memledger_disk_bytes < ([\d.]+)/)).toBe(freeDiskMinShare);
  expect(limitOf(/memledger_backup_timestamp_seconds > ([\d *]+)/) * 1_000).toBe(backupAgeMaxMs);
  expect(limitOf(/oldest_unsigned_timestamp_seconds > ([\d *]+)/) * 1_000).toBe(unsignedAgeMaxMs);
  expect(limitOf(/oldest_waiting_timestamp_seconds > ([\d *]+)/) * 1_000).toBe(unconfirmedAgeMaxMs);
});
