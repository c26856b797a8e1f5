// Replacing a file of another program: whole or not at all, with its mode, its owner and its links, and never over a change of somebody else.

import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  readBackups,
  readConfiguration,
  replaceConfiguration,
} from "../../../src/assistants/connect/configuration-file.ts";
import { BusyConfiguration } from "../../../src/assistants/connect/new-file.ts";
import { UnusableConfiguration } from "../../../src/assistants/connect/text-edit.ts";
import { cleanUp, createFolder } from "../../cli/command.ts";
import { root, testWith } from "../../needs.ts";

afterAll(cleanUp);

const keeping = { keepsBackup: true };

function createFile(text: string | Uint8Array): { folder: string; path: string } {
  const folder = createFolder();
  const path = join(folder, "mcp.json");
  writeFileSync(path, text);
  return { folder, path };
}

describe("somebody else", () => {
  test("changed the file after it was read: the change stays, and nothing is left behind", () => {
    const { folder, path } = createFile("{}");
    const file = readConfiguration(path);
    writeFileSync(path, '{"changed": true}');
    for (const text of ["mine", null]) {
      expect(() => replaceConfiguration(file, text, keeping)).toThrow(BusyConfiguration);
      expect(readFileSync(path, "utf8")).toBe('{"changed": true}');
    }
    expect(readdirSync(folder)).toEqual(["mcp.json"]);
  });

  test("removed the file, or created it", () => {
    const { folder, path } = createFile("{}");
    const file = readConfiguration(path);
    rmSync(path);
    expect(() => replaceConfiguration(file, "mine", keeping)).toThrow(BusyConfiguration);
    const missing = readConfiguration(path);
    writeFileSync(path, "theirs");
    expect(() => replaceConfiguration(missing, "mine", keeping)).toThrow(BusyConfiguration);
    expect(readFileSync(path, "utf8")).toBe("theirs");
    expect(readdirSync(folder)).toEqual(["mcp.json"]);
  });

  test("is replacing the file: its new file is not touched", () => {
    const { folder, path } = createFile("{}");
    const partial = join(folder, ".mcp.json.memledger-new");
    writeFileSync(partial, "theirs");
    expect(() => replaceConfiguration(readConfiguration(path), "mine", keeping)).toThrow(BusyConfiguration);
    expect(readFileSync(partial, "utf8")).toBe("theirs");
  });
});

describe("what is kept", () => {
  test("mode, byte order mark and backups", () => {
    const { path } = createFile("\uFEFFone\r\n");
    chmodSync(path, 0o664);
    const file = readConfiguration(path);
    expect(file.text).toBe("one\r\n");
    expect(replaceConfiguration(file, "two\r\n", keeping)).toBe(`${path}.memledger-backup`);
    expect(readFileSync(path, "utf8")).toBe("\uFEFFtwo\r\n");
    expect(statSync(path).mode & 0o777).toBe(0o664);
    expect(statSync(`${path}.memledger-backup`).mode & 0o777).toBe(0o664);
    expect(replaceConfiguration(readConfiguration(path), "three", keeping)).toBe(
      `${path}.memledger-backup-2`,
    );
    expect(readBackups(path)).toEqual(["two\r\n", "one\r\n"]);
    // A content that a backup has needs no other one.
    writeFileSync(path, "\uFEFFone\r\n");
    expect(replaceConfiguration(readConfiguration(path), "four", keeping)).toBe(`${path}.memledger-backup`);
    expect(readBackups(path)).toHaveLength(2);
  });

  testWith(root)("the owner, when root changes the file of a user", () => {
    const { path } = createFile("{}");
    chownSync(path, 1234, 2345);
    replaceConfiguration(readConfiguration(path), "new", keeping);
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  });

  test("a chain of links", () => {
    const { folder, path } = createFile("{}");
    mkdirSync(join(folder, "sub"));
    symlinkSync("../mcp.json", join(folder, "sub/first"));
    symlinkSync(join(folder, "sub/first"), join(folder, "second"));
    const backup = replaceConfiguration(readConfiguration(join(folder, "second")), "new", keeping);
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(backup).toBe(join(folder, "second.memledger-backup"));
    expect(readdirSync(join(folder, "sub"))).toEqual(["first"]);
  });

  test("the content under another name of the file", () => {
    const { folder, path } = createFile("{}");
    linkSync(path, join(folder, "other"));
    replaceConfiguration(readConfiguration(path), "new", keeping);
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("{}");
  });
});

test("a file and its folders are created for the user only", () => {
  const path = join(createFolder(), "a/b/mcp.json");
  expect(readConfiguration(path)).toEqual({ path, text: null, bytes: null, hasMark: false });
  expect(replaceConfiguration(readConfiguration(path), "{}", keeping)).toBeNull();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  replaceConfiguration(readConfiguration(path), null, keeping);
  expect(existsSync(path)).toBe(false);
});

test.each<[string, Uint8Array]>([
  ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ["Latin-1", new Uint8Array([0x22, 0xe9, 0x22])],
])("a file in %s is not read", (_, bytes) => {
  const { path } = createFile(bytes);
  expect(() => readConfiguration(path)).toThrow(new UnusableConfiguration("not UTF-8"));
});

test("a pipe does not block", () => {
  const path = join(createFolder(), "mcp.json");
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  expect(() => readConfiguration(path)).toThrow("is not a regular file");
});

test("programs that replace a file at the same time lose no change", async () => {
  const { folder, path } = createFile("0");
  const counters = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, join(import.meta.dir, "count-up.ts"), path, "100"]),
  );
  expect(await Promise.all(counters.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  expect(readFileSync(path, "utf8")).toBe("400");
  expect(readdirSync(folder)).toEqual(["mcp.json"]);
});
