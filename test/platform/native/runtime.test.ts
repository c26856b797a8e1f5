// Tests that native libraries come from where they should, unpacked privately and checked.

import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { matmulGraph } from "../../../src/memory/ranking/scan/matrix-product-graph.ts";
import type { EmbeddedLibrary } from "../../../src/platform/native/embedded.ts";
import { loadOnnx, Tensor } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime, unpackLibraries } from "../../../src/platform/native/runtime.ts";
import { loadVec, openDatabase, SqliteError } from "../../../src/platform/native/sqlite.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";

const temporary = removeFoldersAfterEach();

/** A library as build.ts embeds it, in two parts. */
function pack(folder: string, name: string, content: string): EmbeddedLibrary {
  const parts = [content.slice(0, 4), content.slice(4)].map((part, index) => {
    const path = join(folder, `${name}.${index}.zst`);
    writeFileSync(path, Bun.zstdCompressSync(part));
    return path;
  });
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  return { name, parts, size: Buffer.byteLength(content), sha256 };
}

test("from source, the libraries are those of node_modules and nothing is written", () => {
  const folder = join(temporary(), "runtime");
  for (const path of Object.values(prepareRuntime(folder))) expect(path).toContain("node_modules");
  expect(existsSync(folder)).toBe(false);
});

test("SQLite opens, its errors are recognised, and sqlite-vec loads", () => {
  const runtime = prepareRuntime("unused");
  const database = openDatabase(":memory:", runtime);
  loadVec(database, runtime);
  expect(database.prepare("SELECT vec_length(vec_f32('[1, 2, 3]')) AS length").get()).toEqual({ length: 3 });
  expect(() => database.exec("SELECT * FROM nothing")).toThrow(SqliteError);
  database.close();
});

test("ONNX Runtime runs a graph, into memory of ours when asked", () => {
  const session = loadOnnx(prepareRuntime("unused")).createSession(matmulGraph(2));
  expect(session.inputs.map(({ name }) => name)).toEqual(["matrix", "queries"]);
  const feeds = {
    matrix: new Tensor("float32", Float32Array.of(1, 2, 3, 4), [2, 2]),
    queries: new Tensor("float32", Float32Array.of(10, 1), [2, 1]),
  };
  expect(session.run(feeds).scores?.data).toEqual(Float32Array.of(12, 34));
  const own = new Float32Array(2);
  session.runInto(feeds, { scores: new Tensor("float32", own, [2, 1]) });
  expect(own).toEqual(Float32Array.of(12, 34));
  session.release();
});

test("libraries are unpacked into a private folder, once", () => {
  const folder = temporary();
  const libraries = [pack(folder, "one.so", "first library"), pack(folder, "two.so", "second library")];
  const runtime = join(folder, "data", "runtime");
  const unpacked = unpackLibraries(runtime, libraries);
  expect(readdirSync(unpacked).toSorted()).toEqual(["one.so", "two.so"]);
  expect(readFileSync(join(unpacked, "two.so"), "utf8")).toBe("second library");
  for (const path of [runtime, unpacked]) expect(statSync(path).mode & 0o777).toBe(0o700);
  const before = statSync(join(unpacked, "one.so"));
  chmodSync(unpacked, 0o755);
  expect(unpackLibraries(runtime, libraries)).toBe(unpacked);
  expect(statSync(join(unpacked, "one.so")).ino).toBe(before.ino);
  expect(statSync(unpacked).mode & 0o777).toBe(0o700);
});

test.each<[string, (path: string) => void]>([
  ["forged", (path) => writeFileSync(path, "FIRST LIBRARY")],
  ["cut short", (path) => truncateSync(path, 3)],
  ["lost", (path) => rmSync(path)],
])("a library that was %s is unpacked again", (_, damage) => {
  const folder = temporary();
  const library = pack(folder, "one.so", "first library");
  const path = join(unpackLibraries(folder, [library]), "one.so");
  damage(path);
  unpackLibraries(folder, [library]);
  expect(readFileSync(path, "utf8")).toBe("first library");
});

test("another set of libraries gets another folder", () => {
  const folder = temporary();
  const old = unpackLibraries(folder, [pack(folder, "one.so", "version 1")]);
  expect(unpackLibraries(folder, [pack(folder, "one.so", "version 2")])).not.toBe(old);
  expect(readFileSync(join(old, "one.so"), "utf8")).toBe("version 1");
});

test("bytes that do not match their hash are never handed out", () => {
  const folder = temporary();
  const library = { ...pack(folder, "one.so", "first library"), sha256: "0".repeat(64) };
  expect(() => unpackLibraries(folder, [library])).toThrow(/one\.so has a wrong hash/);
});
