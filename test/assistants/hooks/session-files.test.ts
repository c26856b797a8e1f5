// Checks what hooks remember about a conversation between their processes, and that their files stay small and hold no text.

import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHookLog } from "../../../src/assistants/hooks/hook-log.ts";
import { printedMax, sessionLifeMs } from "../../../src/assistants/hooks/limits.ts";
import { openSessionFiles, removeOldSessions } from "../../../src/assistants/hooks/session-files.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-hooks-"));
  folders.push(folder);
  return join(folder, "hooks");
}

const fileOf = (folder: string, ending: string) =>
  join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? "missing");

describe("a conversation", () => {
  test("knows what it was given, in the next process, too", () => {
    const folder = createFolder();
    openSessionFiles(folder, "codex", "1").addPrinted(['- (2026-11-22) "a"']);
    openSessionFiles(folder, "codex", "1").addPrinted(['- (2026-11-22) "b"']);
    const files = openSessionFiles(folder, "codex", "1");
    expect(["a", "b", "c"].map((each) => files.isPrinted(`- (2026-11-22) "${each}"`))).toEqual([
      true,
      true,
      false,
    ]);
    files.forgetPrinted();
    expect(openSessionFiles(folder, "codex", "1").isPrinted('- (2026-11-22) "a"')).toBe(false);
  });

  test("shares nothing with the same identifier of another client, nor with another identifier", () => {
    const folder = createFolder();
    openSessionFiles(folder, "codex", "1").addPrinted(["a"]);
    expect(openSessionFiles(folder, "cursor", "1").isPrinted("a")).toBe(false);
    expect(openSessionFiles(folder, "codex", "2").isPrinted("a")).toBe(false);
  });

  test("of any identifier has files in this folder only, for this user only, and without its texts", () => {
    const folder = createFolder();
    const files = openSessionFiles(folder, "codex", "../../../etc/passwd");
    files.addPrinted(["Never deploy on Fridays."]);
    files.savePosition("/people/ana/transcript.jsonl", 7);
    expect(readdirSync(folder).every((name) => /^[0-9a-f]{32}\.(printed|position)$/.test(name))).toBe(true);
    const all = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join();
    expect(all).not.toMatch(/Fridays|ana|passwd/);
    expect(statSync(fileOf(folder, ".printed")).mode & 0o077).toBe(0);
  });

  test("remembers a bounded number of lines, the last ones", () => {
    const folder = createFolder();
    const files = openSessionFiles(folder, "codex", "1");
    files.addPrinted(Array.from({ length: printedMax + 10 }, (_, index) => String(index)));
    expect([files.isPrinted("0"), files.isPrinted("10"), files.isPrinted(String(printedMax))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("begins a transcript at its start, another one, too, and the same one where it ended", () => {
    const files = openSessionFiles(createFolder(), "codex", "1");
    expect(files.readPosition("/a")).toBe(0);
    files.savePosition("/a", 70);
    expect([files.readPosition("/a"), files.readPosition("/b")]).toEqual([70, 0]);
  });

  test.each(["", "null", "[1, null, {}]", '{"position": -1}', '{"position": "x"}', "\0"])(
    "with damaged files (%j) begins again",
    (content) => {
      const folder = createFolder();
      const files = openSessionFiles(folder, "codex", "1");
      files.addPrinted(["a"]);
      files.savePosition("/a", 70);
      for (const ending of [".printed", ".position"]) writeFileSync(fileOf(folder, ending), content);
      const again = openSessionFiles(folder, "codex", "1");
      expect([again.isPrinted("a"), again.readPosition("/a")]).toEqual([false, 0]);
    },
  );
});

test("files of old conversations are removed, and nothing else", () => {
  const folder = createFolder();
  openSessionFiles(folder, "codex", "old").addPrinted(["a"]);
  const old = fileOf(folder, ".printed");
  const now = Date.now();
  utimesSync(old, new Date(0), new Date(now - sessionLifeMs - 1_000));
  openSessionFiles(folder, "codex", "new").addPrinted(["a"]);
  for (const name of ["hooks.log", "notes.txt"]) {
    writeFileSync(join(folder, name), "");
    utimesSync(join(folder, name), new Date(0), new Date(0));
  }
  removeOldSessions(folder, now);
  expect(readdirSync(folder)).toHaveLength(3);
  expect(openSessionFiles(folder, "codex", "new").isPrinted("a")).toBe(true);
  expect(openSessionFiles(folder, "codex", "old").isPrinted("a")).toBe(false);
  removeOldSessions(join(folder, "missing"), now);
});

describe("the log of the hooks", () => {
  test("does not grow without a limit", () => {
    const folder = createFolder();
    const logger = createHookLog(folder, "info");
    for (let line = 0; line < 30; line++) logger.info("x".repeat(100_000));
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes).toHaveLength(2);
    for (const size of sizes) expect(size).toBeLessThan(1.2 * 1024 * 1024);
  });

  test("that cannot be written disturbs nobody", () => {
    const folder = createFolder();
    writeFileSync(folder, "a file");
    expect(() => createHookLog(folder, "info").info("x")).not.toThrow();
  });
});
