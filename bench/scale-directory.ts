// Owns the data directories of the scale benchmark: filled once, and kept for the next run if a folder is named for them. Must never
// change one that is filled.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress } from "./harness.ts";
import { fillScale, type ScaleProject, type WantedProject } from "./scale-fill.ts";

export interface ScaleDirectory {
  readonly dataDir: string;
  readonly projects: readonly ScaleProject[];
}

/** The folder has the data directory and, beside it, its keys; they are written last, so a folder with them is complete. */
export async function openScaleDirectory(
  folder: string,
  wanted: readonly WantedProject[],
): Promise<ScaleDirectory> {
  const [dataDir, keys] = [join(folder, "data"), join(folder, "keys.json")];
  if (existsSync(keys)) {
    const { projects } = JSON.parse(readFileSync(keys, "utf8")) as { projects: ScaleProject[] };
    const missing = wanted.find(({ name }) => !projects.some((project) => project.name === name));
    if (missing === undefined) return { dataDir, projects };
    throw new Error(`${folder} has no project ${missing.name}. Remove the folder, or name another one.`);
  }
  if (existsSync(dataDir)) throw new Error(`${dataDir} was not filled completely. Remove it.`);
  mkdirSync(folder, { recursive: true });
  const { projects, memoriesPerSecond } = await fillScale(dataDir, wanted);
  progress(`filled at ${Math.round(memoriesPerSecond)} memories per second`);
  writeFileSync(keys, `${JSON.stringify({ projects }, null, 2)}\n`, { mode: 0o600 });
  return { dataDir, projects };
}

/** @throws Error when the directory has no such project */
export function projectOf({ projects }: ScaleDirectory, size: number): ScaleProject {
  const found = projects.find((project) => project.size === size);
  if (found === undefined) throw new Error(`There is no project of ${size} memories.`);
  return found;
}

export const projectNamed = (size: number): WantedProject => ({ name: `memories ${size}`, size });
