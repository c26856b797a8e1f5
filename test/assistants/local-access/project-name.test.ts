// Tests which project a program of the user uses: the name that was given, or that of the git repository around its working directory.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectNameOf } from "../../../src/assistants/local-access/project-name.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";

const createFolder = removeFoldersAfterEach();

function repository(name: string): string {
  const root = join(createFolder(), name);
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  return root;
}

test("a name is used as it is given", () => {
  for (const name of ["notes", "Ünïcode name", "Auto"]) expect(projectNameOf(name, "/")).toBe(name);
});

test("auto is the name of the enclosing repository, from any folder in it", () => {
  const root = repository("shop");
  for (const folder of [root, join(root, "src"), join(root, "src", "deep")])
    expect(projectNameOf("auto", folder)).toBe("shop");
});

test("auto outside of a repository is the default project", () => {
  for (const folder of ["/", createFolder(), join(createFolder(), "does", "not", "exist")])
    expect(projectNameOf("auto", folder)).toBe("default");
});

test("all worktrees of a repository have its name", () => {
  const root = repository("shop");
  const admin = join(root, ".git", "worktrees", "fix");
  mkdirSync(admin, { recursive: true });
  writeFileSync(join(admin, "commondir"), "../..\n");
  const tree = join(createFolder(), "shop-fix");
  mkdirSync(tree);
  writeFileSync(join(tree, ".git"), `gitdir: ${admin}\n`);
  expect(projectNameOf("auto", tree)).toBe("shop");
});

test("worktrees of a bare repository have the name of its folder, or of the project that hides it", () => {
  for (const [name, expected] of [
    [".bare", "shop"],
    ["shop.git", "shop.git"],
  ] as const) {
    const root = join(createFolder(), "shop");
    const admin = join(root, name, "worktrees", "main");
    mkdirSync(admin, { recursive: true });
    writeFileSync(join(admin, "commondir"), "../..\n");
    const tree = join(root, "main");
    mkdirSync(tree);
    writeFileSync(join(tree, ".git"), `gitdir: ${admin}\n`);
    expect(projectNameOf("auto", tree)).toBe(expected);
  }
});

test("a path that cannot be read is outside of a repository", () => {
  expect(projectNameOf("auto", join(createFolder(), "x".repeat(5_000)))).toBe("default");
});

test("a submodule, and a .git file that cannot be understood, have the name of their folder", () => {
  const root = repository("shop");
  const part = join(root, "part");
  mkdirSync(part);
  mkdirSync(join(root, ".git", "modules", "part"), { recursive: true });
  for (const text of [
    "gitdir: ../.git/modules/part\n",
    "",
    "nonsense\n",
    `gitdir: ${"/x".repeat(3_000)}\n`,
  ]) {
    writeFileSync(join(part, ".git"), text);
    expect(projectNameOf("auto", part)).toBe("part");
  }
});

test("the name is one that every project may have", () => {
  expect(projectNameOf("auto", repository("a\u0007b\nc"))).toBe("a b c");
  expect(projectNameOf("auto", repository("e\u0301"))).toBe("\u00e9");
  expect(projectNameOf("auto", repository("x".repeat(200)))).toBe("x".repeat(100));
  expect(projectNameOf("auto", repository("   "))).toBe("default");
});

test("a link to a repository counts as the folder that it is in", () => {
  const root = repository("shop");
  const link = join(createFolder(), "other");
  symlinkSync(root, link);
  expect(projectNameOf("auto", link)).toBe("other");
});
