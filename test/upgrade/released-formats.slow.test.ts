// Opens a data directory of each previous format with the program of today. version-0.1.0.test.ts and migrate.slow.test.ts do the same in more
// detail for the formats 3 and 1.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import { formatVersion } from "../../src/engines/sqlite/schema/migrate.ts";
import { normalise } from "../calls/storage/seam.ts";
import { cleanUp, createFolder, serve } from "../cli/command.ts";
import { passage, storePassages } from "../engines/sqlite/direct-transaction.ts";
import { copyKept, findMissing, keptFormats, notesOf } from "./kept-formats.ts";

afterAll(cleanUp);

const formatOf = (path: string) => {
  const database = new Database(path, { readonly: true });
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  database.close();
  return row?.user_version;
};

const projectOf = (path: string) => {
  const database = new Database(path, { readonly: true });
  const row = database.query<{ id: string }, []>("SELECT id FROM project ORDER BY serial").get();
  database.close();
  return row?.id ?? "";
};

test("every format before this one is kept, so that whoever adds one keeps the previous", () => {
  const elsewhere = [1, 3];
  const kept = [...keptFormats.map(({ format }) => format), ...elsewhere].toSorted((a, b) => a - b);
  expect(kept).toEqual(Array.from({ length: formatVersion - 1 }, (_, index) => index + 1));
});

describe.each(keptFormats)("a data directory of format $format", (kept) => {
  test("keeps its memories, search results, key, records and checkpoints, also if the first server was killed", async () => {
    const dataDir = join(createFolder(), "data");
    copyKept(kept, dataDir);
    const path = join(dataDir, "memledger.db");
    expect(formatOf(path)).toBe(kept.format);
    // It changes no record, so what the records are known by is what the migration has written.
    await (await serve(dataDir)).end("SIGKILL");
    const server = await serve(dataDir);
    expect(server.ready.api_key).toBeUndefined();
    expect(await findMissing(server.url, kept)).toEqual([]);
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
    expect(formatOf(path)).toBe(formatVersion);
    // A project of that time has passages, too.
    const [own] = await storePassages(path, { project: projectOf(path), subject: null }, [
      passage("It rains.", normalise(new Float32Array(384).fill(1))),
    ]);
    const next = await serve(dataDir);
    const headers = { Authorization: `Bearer ${kept.secret}` };
    const answer = await fetch(`${next.url}/v1/memories?origin=conversation`, { headers });
    expect(await answer.json()).toMatchObject({
      data: { memories: [{ id: own }], pagination: { total: 1 } },
    });
    expect((await next.end("SIGTERM")).exitCode).toBe(0);
    const publicKey = join(kept.folder, "audit.pub");
    const { finding } = await verifyPath(dataDir, { checkpoints: notesOf(kept), publicKey, project: null });
    expect([finding.verdict, finding.failure, finding.contradiction]).toEqual(["intact", null, null]);
  });
});
