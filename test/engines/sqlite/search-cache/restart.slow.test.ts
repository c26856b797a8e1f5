// Restarts a server with cache files of every kind: the answers of searches are the same as before, also right after the start, and files
// that are intact are used.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openReading, openWriting } from "../../../../src/engines/sqlite/database-file/connection.ts";
import { finishBlock, imageStart } from "../../../../src/engines/sqlite/search-cache/block-file.ts";
import {
  imageBytes,
  openCacheFiles,
  placesOf,
  readCachedBlock,
} from "../../../../src/engines/sqlite/search-cache/project-files.ts";
import {
  isActiveState,
  kindOfState,
  rowState,
  viewRowBlock,
} from "../../../../src/memory/ranking/scan/row-block.ts";
import { prepareRuntime } from "../../../../src/platform/native/runtime.ts";
import { locate } from "../../../../src/server/data-directory/data-directory.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";

const runtime = prepareRuntime("unused-from-source");
const dimensions = 384;

let app: TestApp;
let root = "";
let folder = "";
let ids: string[] = [];

beforeAll(async () => {
  app = await startTestApp();
  root = join(app.config.dataDir, "cache", "search");
  folder = join(root, app.projectId);
  ids = [];
  for (const [at, content] of sentences.entries()) {
    const body = {
      content,
      memory_type: at % 4 === 0 ? "rule" : "fact",
      tags: at % 3 === 0 ? ["a"] : at % 3 === 1 ? ["a", "b"] : [],
      importance: at / 20,
    };
    const { status, data } = await app.call("POST", "/v1/memories", { body });
    expect(status).toBe(201);
    ids.push(String(data.id));
  }
});
afterAll(() => app.stop());

const sentences = [
  "The river floods in spring.",
  "Bridges are inspected every two years.",
  "The mill stands beside the river.",
  "Boats need a permit on the lake.",
  "The harbour closes at nine in winter.",
  "Fishing is allowed from May on.",
  "The dam was built in 1954.",
  "Swimming in the canal is forbidden.",
  "The ferry takes bicycles for free.",
  "Water is measured every morning.",
  "The museum shows old maps of the river.",
];

const queries = [
  { query: "river", top_k: 5 },
  { query: "river", top_k: 5, mode: "hybrid" },
  { query: "rules for boats", top_k: 4, tags: ["a"] },
  { query: "winter", top_k: 4, tags: ["b", "a"], memory_type: "fact" },
];

async function search(): Promise<unknown[]> {
  const replies = [];
  for (const body of queries) {
    const { status, data } = await app.call("POST", "/v1/memories/search", { body });
    expect(status).toBe(200);
    replies.push(data);
  }
  // What a search itself changes.
  return JSON.parse(JSON.stringify(replies, (name, value) => (name === "last_accessed_at" ? null : value)));
}

/** Makes a memory inactive in the files, with right checks: whoever reads them does not find it. */
function deceive(): void {
  const files = openCacheFiles(folder);
  const [place] = placesOf(files);
  if (place === undefined) throw new Error("there is a block");
  const image = new SharedArrayBuffer(imageBytes(files.manifest, 0));
  readCachedBlock(files, 0, new Uint8Array(image));
  const { states, serials } = viewRowBlock(image, dimensions);
  for (const [row, serial] of serials.entries())
    if (serial > 0 && isActiveState(states[row] ?? 0))
      states[row] = rowState(kindOfState(states[row] ?? 0), false);
  const content = new Uint8Array(image);
  const file = readFileSync(place.path);
  file.set(finishBlock(content, place.id, place), place.start);
  file.set(content, place.start + imageStart(place));
  writeFileSync(place.path, file);
}

const index = () => join(folder, "index");
const flip = (at: (bytes: number) => number) => {
  const content = readFileSync(index());
  const position = at(content.length);
  content[position] = (content[position] ?? 0) ^ 0x10;
  writeFileSync(index(), content);
};

test("an intact file is used: what is wrong in it with right checks is wrong in the answers", async () => {
  const before = await search();
  await app.restart(deceive);
  expect(await search()).not.toEqual(before);
  // A change is read from the database, and so the file is written again.
  await app.restart(() => rmSync(root, { recursive: true }));
  expect(await search()).toEqual(before);
});

describe("the answers after a restart are those before it, with cache files", () => {
  let former = "";
  beforeAll(async () => {
    await search();
    await app.restart(() => {
      former = join(app.config.dataDir, "former");
      cpSync(folder, former, { recursive: true });
    });
  });

  test.each<[string, () => void]>([
    ["that are intact", () => {}],
    ["that are missing", () => rmSync(root, { recursive: true })],
    ["whose folder is missing", () => rmSync(join(app.config.dataDir, "cache"), { recursive: true })],
    ["with a flipped bit in the header", () => flip(() => 9)],
    ["with a flipped bit in the manifest", () => flip(() => 200)],
    ["with a flipped bit in the last row", () => flip((bytes) => bytes - 1)],
    ["with a flipped bit in the first row", () => flip((bytes) => bytes - 64 * (dimensions + 45) + 3)],
    ["that are cut off", () => truncateSync(index(), 5_000)],
    ["that are empty", () => truncateSync(index(), 0)],
    [
      "that a torn write left",
      () => {
        const { size } = statSync(index());
        truncateSync(index(), size / 2);
        truncateSync(index(), size);
      },
    ],
    [
      "that are a folder",
      () => {
        rmSync(index());
        mkdirSync(index());
      },
    ],
    [
      "that are a link",
      () => {
        renameSync(index(), join(app.config.dataDir, "elsewhere"));
        symlinkSync(join(app.config.dataDir, "elsewhere"), index());
      },
    ],
    [
      "in a folder that is a link",
      () => {
        renameSync(folder, join(app.config.dataDir, "other folder"));
        symlinkSync(join(app.config.dataDir, "other folder"), folder);
      },
    ],
    [
      "in a file in the place of the folder",
      () => {
        rmSync(root, { recursive: true });
        writeFileSync(root, "not a folder");
      },
    ],
    ["of an older state", () => copyFileSync(join(former, "index"), index())],
  ])("%s", async (_, spoil) => {
    const { status } = await app.call("PUT", `/v1/memories/${ids[0]}`, {
      body: { importance: Math.round(Math.random() * 1000) / 1000 },
    });
    expect(status).toBe(200);
    const before = await search();
    await app.restart(() => {
      // The end of the server has written them.
      expect(existsSync(index())).toBe(true);
      spoil();
    });
    expect(await search()).toEqual(before);
    // Searching goes on, also after changes.
    await app.call("PUT", `/v1/memories/${ids[1]}`, { body: { importance: 0.5 } });
    expect(await search()).toHaveLength(queries.length);
    await app.restart(() => {
      rmSync(root, { recursive: true, force: true });
      for (const name of ["elsewhere", "other folder"])
        rmSync(join(app.config.dataDir, name), { recursive: true, force: true });
      app.complaints.length = 0;
    });
  });
});

test("an index is written while the server runs, and catches up with what was changed meanwhile", async () => {
  await app.restart(() => rmSync(root, { recursive: true, force: true }));
  await search();
  expect(existsSync(index())).toBe(false);
  app.passTime(10_000);
  while (!existsSync(index())) await Bun.sleep(10);
  const written = readFileSync(index());
  const { data } = await app.call("POST", "/v1/memories", {
    body: { content: "The river is frozen.", memory_type: "fact", tags: ["new"] },
  });
  await app.call("PUT", `/v1/memories/${ids[2]}`, { body: { content: "The mill was torn down." } });
  await app.call("DELETE", `/v1/memories/${ids[3]}`);
  const before = await search();
  // As after a kill: the end of the server has written nothing, but the deleted memory was wiped at once.
  await app.restart(() => writeFileSync(index(), written));
  expect(await search()).toEqual(before);
  const tagged = await app.call("POST", "/v1/memories/search", { body: { query: "river", tags: ["new"] } });
  expect(JSON.stringify(tagged.data)).toContain(String(data.id));
});

test("files are used although the removals since are no longer stored", async () => {
  await app.restart(() => rmSync(root, { recursive: true, force: true }));
  await search();
  await passTimeUntil(() => existsSync(index()));
  expect((await app.call("DELETE", `/v1/memories/${ids[4]}`)).status).toBe(204);
  const before = await search();
  const wiped = readFileSync(index());
  const removals = () =>
    withDatabase((database) => Number(database.prepare("SELECT COUNT(*) FROM memory_removal").pluck().get()));
  expect(removals()).toBeGreaterThan(0);
  await app.restart(() => writeFileSync(index(), wiped));
  // Longer than removals are stored; the sweep of the writer looks at the time.
  app.passTime(2 * 3_600_000);
  await passTimeUntil(() => removals() === 0);
  // As after a kill: the end of the server has written nothing.
  await app.restart(() => writeFileSync(index(), wiped));
  expect(await search()).toEqual(before);
  await app.restart(() => {
    writeFileSync(index(), wiped);
    deceive();
  });
  // The file was read, and nothing was read again in its place.
  expect(await search()).not.toEqual(before);
  await app.restart(() => rmSync(root, { recursive: true }));
  expect(await search()).toEqual(before);
});

/** Ten seconds at a time: what happens at intervals may begin to count only after the start. */
async function passTimeUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    app.passTime(10_000);
    await Bun.sleep(50);
  }
}

function withDatabase<Result>(work: (database: ReturnType<typeof openReading>) => Result): Result {
  const database = openReading({ path: locate(app.config.dataDir).database, runtime });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

test("an index of several blocks is read by other threads, and only blocks that were changed are written again", async () => {
  const project = await app.createProject("custom");
  await app.restart(() => fill(project.id, 20_000));
  const ask = async () => {
    const body = { query: "the river", top_k: 10, include_inactive: true };
    const { status, data } = await app.call("POST", "/v1/memories/search", { key: project.key, body });
    expect(status).toBe(200);
    return JSON.parse(JSON.stringify(data, (name, value) => (name === "last_accessed_at" ? null : value)));
  };
  const before = await ask();
  const path = join(root, project.id);
  let first: string[] = [];
  await app.restart(() => {
    first = readdirSync(path).toSorted();
  });
  expect(first).toHaveLength(4);
  expect(await ask()).toEqual(before);
  const { data } = await app.call("POST", "/v1/memories", {
    key: project.key,
    body: { content: "the river", memory_type: "fact" },
  });
  const after = await ask();
  expect(JSON.stringify(after)).toContain(String(data.id));
  let second: string[] = [];
  await app.restart(() => {
    second = readdirSync(path).toSorted();
  });
  expect(second.filter((name) => first.includes(name))).toHaveLength(3);
  expect(second).toHaveLength(4);
  expect(await ask()).toEqual(after);
}, 120_000);

/** Memories with random vectors, as an import would have created them, without words and records. */
function fill(project: string, count: number): void {
  const database = openWriting({ path: locate(app.config.dataDir).database, runtime });
  const serial = Number(database.prepare("SELECT serial FROM project WHERE id = ?").pluck().get(project));
  const insert = database.prepare(
    `INSERT INTO memory (id, project, memory_type, epoch, revision, content_revision, content, importance, is_active, created_at, updated_at)
     VALUES (?, ?, 'fact', 1, ?, ?, ?, 0.5, 1, 1, 1)`,
  );
  const insertVector = database.prepare("INSERT INTO memory_vector (memory, embedding) VALUES (?, ?)");
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) / 2 ** 24 - 0.5;
  };
  database.transaction(() => {
    for (let at = 1; at <= count; at++) {
      const vector = Float32Array.from({ length: dimensions }, next);
      const length = Math.hypot(...vector);
      for (const [axis, value] of vector.entries()) vector[axis] = value / length;
      const id = at.toString(16).padStart(32, "0");
      const { lastInsertRowid } = insert.run(id, serial, at, at, `memory ${at}`);
      insertVector.run(lastInsertRowid, new Uint8Array(vector.buffer));
    }
    database
      .prepare("UPDATE pool SET memories = ? WHERE project = ? AND memory_type = 'fact'")
      .run(count, serial);
    database.prepare("UPDATE project SET revision = ? WHERE serial = ?").run(count, serial);
  })();
  database.close();
}
