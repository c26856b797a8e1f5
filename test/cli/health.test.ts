// What `memledger health` says: ready, unready with the reason, and what to do when no server runs.

import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFact, createFolder, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const health = (dataDir: string) => runJson(["health", "--data-dir", dataDir]);

test("a server that runs is ready, and one that has stopped is not", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  expect(await health(dataDir)).toMatchObject({
    exitCode: 0,
    object: { ready: true, message: "The server is ready." },
  });
  await server.end("SIGTERM");
  const stopped = {
    exitCode: 1,
    object: {
      ready: false,
      message: `No server runs on the data directory ${dataDir}. Start one: memledger serve --data-dir ${dataDir}`,
    },
  };
  expect(await health(dataDir)).toMatchObject(stopped);
  const second = await serve(dataDir);
  await second.end("SIGKILL");
  expect(await health(dataDir)).toMatchObject(stopped);
});

test("a server that cannot perform calls is not ready, and the reason is named", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const { api_key: key } = server.ready;
  const database = openSync(join(dataDir, "memledger.db"), "r+");
  writeSync(database, Buffer.alloc(200_000, 0x55), 0, 200_000, 4096);
  closeSync(database);
  for (let sent = 0; sent < 200; sent++) {
    if ((await createFact(server.url, key, `Number ${sent}.`)).status === 503) break;
  }
  const { exitCode, object } = await health(dataDir);
  expect([exitCode, object.ready]).toEqual([1, false]);
  expect(object.message).toMatch(/^Not ready: .*the database file is damaged/);
  await server.end("SIGKILL");
});

test("nothing is written where no server has run", async () => {
  const dataDir = createFolder();
  expect((await health(dataDir)).exitCode).toBe(1);
  expect(readdirSync(dataDir)).toEqual([]);
});
