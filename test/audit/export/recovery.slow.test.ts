// Proves that exports come to an end whatever happens to the process: killed in the middle, or out of space.

import { afterAll, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFolder, serve } from "../../cli/command.ts";
import { notWindows, testWith } from "../../needs.ts";
import { main } from "../../program.ts";
import { always, begin, download, exportAll, fatten, send, settled } from "./exporting.ts";
import { readyOf } from "./limited-server.ts";

afterAll(cleanUp);

const partsIn = (dataDir: string) =>
  readdirSync(join(dataDir, "exports")).filter((name) => name.endsWith(".part"));

/** Bytes of the export that is being written, once there are some. */
async function begun(dataDir: string): Promise<number> {
  for (;;) {
    const [part] = partsIn(dataDir);
    const bytes = part === undefined ? 0 : statSync(join(dataDir, "exports", part)).size;
    if (bytes > 0) return bytes;
    await Bun.sleep(1);
  }
}

test("an export that a kill -9 interrupts is finished after the next start", async () => {
  const dataDir = createFolder();
  const first = await serve(dataDir);
  const key = String(first.ready.api_key);
  const target = { url: first.url, key };
  await fatten(target, 400);
  const id = await begin(target, { ...always, format: "json" });
  await begun(dataDir);
  await first.end("SIGKILL");
  expect(partsIn(dataDir)).toEqual([`${id}.json.part`]);
  const written = await begun(dataDir);

  const second = await serve(dataDir);
  const again = { url: second.url, key };
  const { detail } = await settled(again, id);
  expect(detail).toMatchObject({ status: "completed", records: 400, estimated_records: 400, error: null });
  const text = await download(again, id);
  expect(JSON.parse(text).length).toBe(400);
  // Otherwise the first server had written all of it, and nothing was interrupted.
  expect(written).toBeLessThan(Buffer.byteLength(text));
  expect(new Bun.SHA256().update(text).digest("hex")).toBe(String(detail.sha256));
  expect(readdirSync(join(dataDir, "exports")).toSorted()).toEqual([`${id}.json`, `${id}.json.manifest`]);
  expect((await second.end("SIGTERM")).exitCode).toBe(0);
});

test("a server that is stopped in the middle of an export ends in time and goes on later", async () => {
  const dataDir = createFolder();
  const first = await serve(dataDir);
  const key = String(first.ready.api_key);
  await fatten({ url: first.url, key }, 400);
  const id = await begin({ url: first.url, key });
  await begun(dataDir);
  const startedAt = performance.now();
  expect((await first.end("SIGTERM")).exitCode).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  // Neither completed nor given up.
  expect(readdirSync(join(dataDir, "exports"))).toEqual([`${id}.csv.part`]);
  const second = await serve(dataDir);
  expect((await settled({ url: second.url, key }, id)).detail).toMatchObject({
    status: "completed",
    records: 400,
  });
  await second.end("SIGTERM");
});

testWith(notWindows)(
  "an export that finds no space fails with a reason and leaves nothing behind; calls go on",
  async () => {
    const dataDir = createFolder();
    // Files of this process tree end at 16 MiB; SIGXFSZ is ignored, so that writing fails as on a full disk.
    const limited = [
      "bash",
      "-c",
      `trap '' XFSZ; ulimit -f 16384; exec "$@"`,
      "bash",
      process.execPath,
      main,
    ];
    const child = Bun.spawn([...limited, "serve", "--port", "0", "--json", "--data-dir", dataDir], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
      stdout: "pipe",
      stderr: "ignore",
    });
    try {
      const target = await readyOf(child.stdout);
      await fatten(target, 300);
      const { id, detail } = await settled(target, await begin(target));
      expect(detail).toMatchObject({ status: "failed", download_url: null, bytes: null, sha256: null });
      expect(String(detail.error)).toMatch(/^(The disk is full|The file is larger than)/);
      expect(readdirSync(join(dataDir, "exports"))).toEqual([]);
      expect((await send(target, "GET", `/v1/audit/logs/export/${id}/download`)).status).toBe(409);
      const small = { start_time: new Date().toISOString(), end_time: always.end_time };
      await send(target, "GET", "/v1/memories");
      expect((await exportAll(target, small)).detail.status).toBe("completed");
    } finally {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    }
  },
);
