// The settings of times and intervals that were fixed before: each one must change what the server does.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { exportAll } from "../../audit/export/exporting.ts";
import { createAuthority, issue } from "../../certificates.ts";
import { cleanUp, createFolder, serve } from "../../cli/command.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

afterAll(cleanUp);

test("export-retention-days: an export expires that many days after it was completed", async () => {
  const app = await startTestApp({ "export-retention-days": "2" });
  const { detail } = await exportAll({ url: app.url, key: app.apiKey });
  const life = Date.parse(String(detail.expires_at)) - Date.parse(String(detail.completed_at));
  expect(life).toBe(2 * 86_400_000);
  await app.stop();
});

function checkpointsOf({ config }: TestApp): number {
  const folder = join(config.dataDir, "checkpoints");
  const notes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return notes.join("").split("\n\u2014 ").length - 1;
}

/** The number of checkpoints that a server signs after `calls` calls and `ms`, besides the first one of each chain. */
async function signedAfter(
  flags: Readonly<Record<string, string>>,
  calls: number,
  ms: number,
): Promise<number> {
  const app = await startTestApp(flags);
  app.passTime(3_600_000);
  await app.call("GET", "/v1/memories");
  app.passTime(3_600_000);
  await app.call("GET", "/v1/memories");
  const before = checkpointsOf(app);
  for (let call = 0; call < calls; call++) await app.call("GET", "/v1/memories");
  app.passTime(ms);
  await app.call("GET", "/v1/memories");
  const signed = checkpointsOf(app) - before;
  await app.stop();
  return signed;
}

test("checkpoint-records and checkpoint-minutes: a checkpoint is signed after that many records or minutes", async () => {
  expect(await signedAfter({}, 6, 61_000)).toBe(0);
  expect(await signedAfter({ "checkpoint-records": "5" }, 6, 61_000)).toBe(1);
  expect(await signedAfter({ "checkpoint-minutes": "1" }, 6, 61_000)).toBe(1);
});

test("idle-timeout-seconds: connections without traffic are closed, also before the end of the handshake", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-idle-"));
  const own = issue(folder, createAuthority(folder), "own");
  const flags = { "idle-timeout-seconds": "5", "tls-cert": own.certificate, "tls-key": own.key };
  const [plain, secure] = await Promise.all([
    startTestApp({ "idle-timeout-seconds": "5" }),
    startTestApp(flags),
  ]);
  const closed = (socket: ReturnType<typeof connect>) =>
    new Promise<string>((resolve) => {
      socket.on("error", () => {});
      socket.on("data", () => {});
      socket.on("close", () => resolve("closed"));
      setTimeout(() => resolve("open"), 20_000).unref();
    });
  const request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const used = connect({ port: plain.port, host: "127.0.0.1" }, () => used.write(request));
  const silent = connect({ port: plain.port, host: "127.0.0.1" });
  const half = connect({ port: secure.port, host: "127.0.0.1" }, () =>
    half.write(Buffer.from("16030100c8010000c4", "hex")),
  );
  const shaken = connectTls({ port: secure.port, host: "127.0.0.1", rejectUnauthorized: false });
  expect(await Promise.all([used, silent, half, shaken].map(closed))).toEqual(Array(4).fill("closed"));
  await Promise.all([plain.stop(), secure.stop()]);
  rmSync(folder, { recursive: true });
});

test("shutdown-grace-seconds: a call that stalls delays the end for that time", async () => {
  const ended = async (words: readonly string[]) => {
    const { url, ready, end } = await serve(createFolder(), words);
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" }, () => {
      const head = `POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ready.api_key}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`, () => resolve());
    });
    socket.on("error", () => {});
    await promise;
    await Bun.sleep(300);
    const startedAt = performance.now();
    expect((await end("SIGTERM")).exitCode).toBe(0);
    return performance.now() - startedAt;
  };
  const [usual, short] = await Promise.all([ended([]), ended(["--shutdown-grace-seconds", "1"])]);
  // The difference is four seconds; both servers have the same load of this machine.
  expect(usual - short).toBeGreaterThan(1_500);
});
