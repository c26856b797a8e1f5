// Owns the data directories of the benches of scale and of the console: filled once, and kept for the next run if a folder is named for
// them. Must never change one that is filled.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress } from "./harness.ts";
import { fillLedgers } from "./ledger-fill.ts";
import { fillScale, type ScaleProject, type WantedProject } from "./scale-fill.ts";

export interface ScaleDirectory {
  readonly dataDir: string;
  readonly projects: readonly ScaleProject[];
}

/** Projects of `size` memories. */
export function openScaleDirectory(
  folder: string,
  wanted: readonly WantedProject[],
): Promise<ScaleDirectory> {
  return openFilled(folder, wanted, async (dataDir) => {
    const { projects, memoriesPerSecond } = await fillScale(dataDir, wanted);
    progress(`filled at ${Math.round(memoriesPerSecond)} memories per second`);
    return projects;
  });
}

/** Projects of `size` records. */
export function openLedgerDirectory(
  folder: string,
  wanted: readonly WantedProject[],
): Promise<ScaleDirectory> {
  return openFilled(folder, wanted, (dataDir) => fillLedgers(dataDir, wanted));
}

/** The folder has the data directory and, beside it, its keys; they are written last, so a folder with them is complete. */
async function openFilled(
  folder: string,
  wanted: readonly WantedProject[],
  fill: (dataDir: string) => Promise<readonly ScaleProject[]>,
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
  const projects = await fill(dataDir);
  writeFileSync(keys, `${JSON.stringify({ projects }, null, 2)}\n`, { mode: 0o600 });
  return { dataDir, projects };
}

/** @throws Error when the directory has no project of this size */
export function projectOf({ projects }: ScaleDirectory, size: number): ScaleProject {
  const found = projects.find((project) => project.size === size);
  if (found === undefined) throw new Error(`There is no project of the size ${size}.`);
  return found;
}

export const projectNamed = (size: number): WantedProject => ({ name: `memories ${size}`, size });

/** Of a directory of ledgers. */
export const ledgerNamed = (size: number): WantedProject => ({ name: `records ${size}`, size });
