// Proves that bodies that are small to send and large to hold take little memory and disk of a server, whoever sends them.

import { afterAll, expect } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFolder, runJson, serve } from "../cli/command.ts";
import { linux, testWith } from "../needs.ts";
import { flood, largestRecord, manyObjects } from "./heavy-bodies.ts";

afterAll(cleanUp);

/** The largest resident memory that the process has had, in MiB. */
function peakMiB(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}

function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

testWith(linux)("a flood of bodies of 1 MiB stays within its bounds", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const { object: revoked } = await runJson([
    ...["key", "create", "--project", "default", "--name", "revoked", "--permissions", "memory.write"],
    ...["--data-dir", dataDir],
  ]);
  await runJson(["key", "revoke", String(revoked.id), "--data-dir", dataDir]);
  const target = { port: Number(new URL(server.url).port), clients: 64, calls: 4 };
  const before = { peakMiB: peakMiB(server.pid), bytes: bytesOf(dataDir) };

  // 256 MiB of a revoked key: next to nothing is kept. Held in memory as values each of these bodies would take some 80 MiB.
  const ofRevoked = { ...target, path: "/v1/memories", key: String(revoked.key), body: manyObjects() };
  const refused = await flood(ofRevoked);
  expect([...refused.keys()].sort()).toEqual([401, 429]);
  expect(bytesOf(dataDir) - before.bytes).toBeLessThan(1024 * 1024);
  expect(peakMiB(server.pid) - before.peakMiB).toBeLessThan(150);

  const key = String(server.ready.api_key);
  const invalid = await flood({ ...target, path: "/v1/memories", key, body: manyObjects() });
  expect([...invalid.keys()].sort()).toEqual([400, 429]);
  expect(bytesOf(dataDir) - before.bytes).toBeLessThan(4 * 1024 * 1024);
  expect(peakMiB(server.pid) - before.peakMiB).toBeLessThan(300);

  const valid = await flood({ ...target, calls: 1, path: "/v1/audit/logs", key, body: largestRecord() });
  expect([...valid.keys()].sort()).toEqual([201, 429]);
  expect(peakMiB(server.pid) - before.peakMiB).toBeLessThan(600);
  expect((await server.end("SIGTERM")).exitCode).toBe(0);
});
