// Owns taking the numbered steps of a section of CONTRIBUTING.md in a copy of the program.

import { expect } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { read, root } from "./pages.ts";
import type { Edit } from "./steps.ts";

interface Steps {
  /** Files below src/, and folders that end with a slash. */
  readonly places: readonly string[];
  readonly commands: readonly string[];
}

/** What the numbered steps of a section name. */
export function stepsOf(title: string): Steps {
  const [section = ""] = read("CONTRIBUTING.md").split(`\n## ${title}\n`)[1]?.split(/\n## /) ?? [];
  const steps = section.match(/^\d+\. .*(\n +.*)*/gm) ?? [];
  const named = steps.flatMap((step) => [...step.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  return {
    places: named.filter((name) => /^\S+(\.ts|\.sql|\/)$/.test(name)),
    commands: named.filter((name) => name.startsWith("bun ")),
  };
}

/** Takes the steps in a copy, an empty folder at first, and expects that exactly the files of src/ differ that the steps name. */
export function takeSteps(copy: string, edits: readonly Edit[], { places, commands }: Steps) {
  const copied = ["src", "test", "clients", "package.json"];
  for (const name of readdirSync(root)) {
    if (copied.includes(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
    else if (name !== ".git") symlinkSync(join(root, name), join(copy, name));
  }
  for (const { file, after, text } of edits) {
    const path = join(copy, "src", file);
    const before = existsSync(path) ? readFileSync(path, "utf8") : null;
    if (after === null ? before !== null : before?.split(after).length !== 2)
      throw new Error(`${file} does not have the place of an edit once: ${after ?? "it exists"}`);
    writeFileSync(path, before?.replace(after ?? "", (place) => place + text) ?? text);
  }
  for (const command of commands) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...command.split(" ").slice(1)], {
      cwd: copy,
    });
    if (exitCode !== 0) throw new Error(`${command} fails: ${stderr}`);
  }
  const files = [...new Bun.Glob("src/**/*").scanSync({ cwd: copy })];
  const isChanged = (file: string) =>
    !existsSync(join(root, file)) || !readFileSync(join(root, file)).equals(readFileSync(join(copy, file)));
  const changed = files.filter(isChanged).map((file) => placeOf(file.slice("src/".length), places));
  expect([...new Set(changed)].toSorted()).toEqual(places.toSorted());
}

/** As the page names it: itself, or a folder with it. */
function placeOf(file: string, places: readonly string[]): string {
  if (places.includes(file)) return file;
  return places.find((place) => place.endsWith("/") && file.startsWith(place)) ?? file;
}
