// The archive of a backup: what ordinary tar reads, what is refused, and that nothing outside of its folder is written. Archives that an
// attacker would send are made here byte by byte.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { unpackBackup } from "../../../src/server/backup/archive-reader.ts";
import { createArchiveWriter } from "../../../src/server/backup/archive-writer.ts";
import {
  type ArchivedFile,
  type Manifest,
  parseManifest,
  printManifest,
} from "../../../src/server/backup/manifest.ts";
import { paddingOf, readTarHeader, tarHeader } from "../../../src/server/backup/tar.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "memledger-archive-"));
  mkdirSync(join(folder, "out"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const chain = "01a201f9778b70d496fa9b0e96d93f65";
const contents: Readonly<Record<string, Buffer>> = {
  "audit.pub": Buffer.from("memledger+0000+key\n"),
  [`checkpoints/${chain}.notes`]: Buffer.alloc(0),
  [`models/${"a1".repeat(32)}/config_sentence_transformers.json`]: Buffer.from("{}"),
  // More than one frame, and not a multiple of a block.
  "memledger.db": Buffer.from(Array.from({ length: 700_001 }, (_, at) => `${at % 9_973} `).join("")),
};

function manifestOf(files: Readonly<Record<string, Buffer>>): Manifest {
  const archived = Object.entries(files).map(
    ([name, content]): ArchivedFile => ({ name, bytes: content.length, sha256: sha256(content) }),
  );
  return {
    createdAt: "2026-11-22T00:00:00.000Z",
    memledger: { version: "0.1.0", commit: "source" },
    database: { format: 6, model: null, installation: chain, chains: [] },
    auditKey: null,
    includesSigningKey: false,
    removedSettings: [],
    files: archived,
  };
}

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

interface Member {
  readonly name: string;
  readonly content: Buffer;
  /** Changes the header. */
  readonly forge?: (header: Buffer) => void;
}

function tarOf(members: readonly Member[], end = 1024): Buffer {
  const parts = members.flatMap(({ name, content, forge }) => {
    const header = Buffer.from(tarHeader({ name, bytes: content.length }, 0));
    if (forge !== undefined) {
      forge(header);
      header.write("        ", 148);
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, "0")}\0 `,
        148,
      );
    }
    return [header, content, Buffer.alloc(paddingOf(content.length))];
  });
  return Buffer.concat([...parts, Buffer.alloc(end)]);
}

function write(tar: Uint8Array): string {
  const path = join(folder, "b.tar.zst");
  writeFileSync(path, Bun.zstdCompressSync(tar));
  return path;
}

const membersOf = (files: Readonly<Record<string, Buffer>>, manifest = manifestOf(files)): Member[] => [
  { name: "manifest.json", content: Buffer.from(printManifest(manifest)) },
  ...Object.entries(files).map(([name, content]) => ({ name, content })),
];

const unpack = (path: string) => unpackBackup(path, join(folder, "out"));

async function writeWithProgram(path: string): Promise<void> {
  const file = openSync(path, "wx", 0o600);
  const archive = createArchiveWriter(file, Date.parse("2026-11-22T10:00:00Z"), () => {});
  for (const { name, content } of membersOf(contents)) {
    if (name !== "memledger.db") await archive.add({ name, bytes: content.length, content });
    else {
      const source = join(folder, "source.db");
      writeFileSync(source, Buffer.concat([content, Buffer.from("appended meanwhile")]));
      await archive.add({ name, bytes: content.length, path: source });
    }
  }
  expect(archive.end()).toBe(statSync(path).size);
  closeSync(file);
}

test("ordinary tar lists and unpacks what the program writes", async () => {
  const path = join(folder, "b.tar.zst");
  await writeWithProgram(path);
  const { stdout, exitCode } = Bun.spawnSync(["tar", "--zstd", "-xvf", path, "-C", join(folder, "out")]);
  expect(exitCode).toBe(0);
  expect(stdout.toString().trim().split("\n")).toEqual(["manifest.json", ...Object.keys(contents)]);
  for (const [name, content] of Object.entries(contents))
    expect(readFileSync(join(folder, "out", name)).equals(content)).toBe(true);
});

test("what the program writes is read again, and what tar writes too", async () => {
  const path = join(folder, "b.tar.zst");
  await writeWithProgram(path);
  expect(await unpack(path)).toEqual(manifestOf(contents));
  expect(readdirSync(join(folder, "out")).toSorted()).toEqual([
    "audit.pub",
    "checkpoints",
    "memledger.db",
    "models",
  ]);
  expect(statSync(join(folder, "out/memledger.db")).mode & 0o777).toBe(0o600);

  writeFileSync(join(folder, "out/manifest.json"), printManifest(manifestOf(contents)));
  const again = join(folder, "again.tar.zst");
  const names = ["manifest.json", ...Object.keys(contents)];
  const { exitCode } = Bun.spawnSync(["tar", "--zstd", "--format=ustar", "-cf", again, ...names], {
    cwd: join(folder, "out"),
  });
  expect(exitCode).toBe(0);
  mkdirSync(join(folder, "out2"));
  expect(await unpackBackup(again, join(folder, "out2"))).toEqual(manifestOf(contents));
});

test("a size beyond eight gigabytes is written and read", () => {
  const member = { name: "memledger.db", bytes: 3 * 2 ** 40 + 17 };
  expect(readTarHeader(tarHeader(member, 0))).toEqual(member);
});

test("a file that was cut short anywhere is refused", async () => {
  const whole = tarOf(membersOf({ ...contents, "memledger.db": Buffer.alloc(5_000, 7) }));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1024 }), async (bytes) => {
      rmSync(join(folder, "out"), { recursive: true });
      mkdirSync(join(folder, "out"));
      await expect(unpack(write(whole.subarray(0, bytes)))).rejects.toThrow(/incomplete|cut short/);
    }),
    { numRuns: 30 },
  );
});

test("a changed byte of the compressed file is refused, or changes nothing", async () => {
  const whole = Bun.zstdCompressSync(tarOf(membersOf(contents)));
  const path = join(folder, "b.tar.zst");
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      rmSync(join(folder, "out"), { recursive: true });
      mkdirSync(join(folder, "out"));
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ mask;
      writeFileSync(path, changed);
      const outcome = await unpack(path).catch((error: Error) => error.message);
      if (typeof outcome === "string")
        expect(outcome).toMatch(/is not a usable backup: .*Nothing was changed/s);
      else
        expect(readFileSync(join(folder, "out/memledger.db")).equals(contents["memledger.db"] ?? whole)).toBe(
          true,
        );
    }),
    { numRuns: 40 },
  );
});

const database = { "memledger.db": Buffer.from("a database") };
const forged = (name: string, forge: (header: Buffer) => void, content = Buffer.alloc(0)): Member[] => [
  ...membersOf(database),
  { name, content, forge },
];
const hostile: readonly (readonly [string, readonly Member[], RegExp])[] = [
  ["a symbolic link", forged("memledger.toml", (header) => header.write("2", 156)), /not a regular file/],
  ["a hard link", forged("memledger.toml", (header) => header.write("1", 156)), /not a regular file/],
  ["a device", forged("memledger.toml", (header) => header.write("3", 156)), /not a regular file/],
  ["a folder", forged("checkpoints/", (header) => header.write("5", 156)), /not a regular file/],
  [
    "an extended header",
    forged("x", (header) => header.write("x", 156), Buffer.from("19 path=../../evil\n")),
    /not a regular file/,
  ],
  [
    "a long name of GNU tar",
    forged("x", (header) => header.write("L", 156), Buffer.from("../../evil")),
    /not a regular file/,
  ],
  [
    "a prefix of a name",
    forged("memledger.toml", (header) => header.write("..", 345)),
    /not in its manifest/,
  ],
  [
    "a path that leaves the folder",
    [...membersOf(database), { name: "../evil", content: Buffer.from("x") }],
    /not in its manifest/,
  ],
  [
    "an absolute path",
    [...membersOf(database), { name: "/tmp/evil", content: Buffer.from("x") }],
    /not in its manifest/,
  ],
  [
    "a file twice",
    [...membersOf(database), { name: "memledger.db", content: database["memledger.db"] }],
    /not in its manifest/,
  ],
  ["no manifest", membersOf(database).slice(1), /does not begin with a manifest/],
  ["a missing file", membersOf(database).slice(0, 1), /memledger.db is missing/],
  [
    "more bytes than the manifest states",
    [
      membersOf(database)[0] ?? { name: "", content: Buffer.alloc(0) },
      { name: "memledger.db", content: Buffer.alloc(1_000_000) },
    ],
    /not in its manifest/,
  ],
  [
    "other content",
    [
      membersOf(database)[0] ?? { name: "", content: Buffer.alloc(0) },
      { name: "memledger.db", content: Buffer.from("b database") },
    ],
    /does not match its checksum/,
  ],
  [
    "another manifest",
    [{ name: "manifest.json", content: Buffer.from('{"format":"x"}') }],
    /not that of a memledger backup/,
  ],
  [
    "a later format",
    [{ name: "manifest.json", content: Buffer.from('{"format":"memledger-backup/v2"}') }],
    /use the version of memledger that wrote it/,
  ],
];

test.each(hostile)("%s in the archive is refused", async (_, members, message) => {
  await expect(unpack(write(tarOf(members)))).rejects.toThrow(message);
  expect(existsSync(join(folder, "evil"))).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(["b.tar.zst", "out"]);
});

test.each([
  "../evil",
  "checkpoints/../../evil",
  "/etc/passwd",
  "audit.key.new",
  "memledger.db-wal",
  "runtime/x",
  `models/${"a1".repeat(32)}/..`,
  `models/${"a1".repeat(32)}/../../../evil`,
  "models/x/config.json",
  "exports/a",
])("a manifest with the file %s is refused", (name) => {
  const manifest = manifestOf({ ...database, [name]: Buffer.from("x") });
  expect(parseManifest(printManifest(manifest))).toBe("its manifest is incomplete");
});

test("a manifest that states more than the disk has is refused before anything is written", async () => {
  const manifest = manifestOf(database);
  const huge = manifest.files.map((file) => ({ ...file, bytes: 2 ** 50 }));
  const path = write(tarOf(membersOf(database, { ...manifest, files: huge })));
  await expect(unpack(path)).rejects.toThrow(/need 1125899906842624 bytes, but only \d+ bytes are free/);
  expect(readdirSync(join(folder, "out"))).toEqual([]);
});

test("an archive that another tar has written is read, with all zeros of its last record and not with more", async () => {
  const record = 20 * 512;
  for (let size = 0; size < record; size += 512) {
    const files = { ...database, "memledger.toml": Buffer.alloc(size) };
    const used = tarOf(membersOf(files), 0).length;
    const zeros = 1024 + ((record - ((used + 1024) % record)) % record);
    await unpack(write(tarOf(membersOf(files), zeros)));
    rmSync(join(folder, "out"), { recursive: true });
    mkdirSync(join(folder, "out"));
  }
  const more = write(tarOf(membersOf(database), 1024 + record));
  await expect(unpack(more)).rejects.toThrow(/bytes behind its end/);
});

test("a gigabyte of zeros behind a header is not unpacked", async () => {
  const [manifest] = membersOf(database);
  const bomb = Buffer.concat([
    tarOf(manifest === undefined ? [] : [manifest], 0),
    Buffer.from(tarHeader({ name: "memledger.db", bytes: 2 ** 30 }, 0)),
    Buffer.alloc(2 ** 28),
  ]);
  await expect(unpack(write(bomb))).rejects.toThrow(/not in its manifest/);
  expect(readdirSync(join(folder, "out"))).toEqual([]);
});

test.each<[string, Buffer, RegExp]>([
  ["an empty file", Buffer.alloc(0), /it is empty/],
  ["another file", Buffer.from("SQLite format 3\0"), /not compressed with zstd/],
  [
    "zstd, but no archive",
    Buffer.from(Bun.zstdCompressSync(Buffer.alloc(2_000, 65))),
    /a header of the archive is damaged/,
  ],
])("%s is refused", async (_, content, message) => {
  const path = join(folder, "b.tar.zst");
  writeFileSync(path, content);
  await expect(unpack(path)).rejects.toThrow(message);
});

test("a directory is refused, and a pipe does not block", async () => {
  await expect(unpack(folder)).rejects.toThrow(/is not a regular file/);
  const pipe = join(folder, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  await expect(unpack(pipe)).rejects.toThrow(/is not a regular file/);
});
