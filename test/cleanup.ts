// Owns the removal of what the tests of a file have opened or created. Called at the top level of a test file.

import { afterEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @returns a function that creates an empty folder, removed after the test */
export function removeFoldersAfterEach(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
    folders.push(folder);
    return folder;
  };
}

/** @returns a function that has what it is given closed after the test */
export function closeAfterEach<Opened extends { close(): Promise<void> }>(): (opened: Opened) => void {
  const open: Opened[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((opened) => opened.close()));
  });
  return (opened) => {
    open.push(opened);
  };
}
