// Reads installed npm packages: name, version, licence, and the licence texts in their folders. Must never guess a licence.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./source.ts";

export type NpmPackage = Readonly<{
  name: string;
  version: string;
  /** An SPDX expression, as the package states it. */
  licence: string;
  author: string;
  homepage: string | null;
  /** Absolute path. */
  folder: string;
  dependencies: readonly string[];
}>;

/** The packages that contain these modules, sorted by name and version, each once. */
export function packagesOf(modules: readonly string[]): NpmPackage[] {
  const folders = modules.map((module) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]);
  const found = [...new Set(folders)].filter((folder) => folder !== undefined);
  return sorted(found.map((folder) => readPackage(folder)));
}

/** A package that the source depends on. */
export function installedPackage(name: string): NpmPackage {
  return findPackage(name, root) ?? notInstalled(name);
}

function notInstalled(name: string): never {
  throw new Error(`The package ${name} is not installed. Run: bun install --frozen-lockfile`);
}

/** A package with all that it depends on, and so on. */
export function withDependencies(name: string): NpmPackage[] {
  const found = new Map<string, NpmPackage>();
  const visit = (each: NpmPackage): void => {
    if (found.has(each.folder)) return;
    found.set(each.folder, each);
    for (const dependency of each.dependencies) {
      // Types and optional parts for other platforms are not installed everywhere.
      const next = findPackage(dependency, each.folder);
      if (next !== null) visit(next);
    }
  };
  visit(installedPackage(name));
  return sorted([...found.values()]);
}

function sorted(packages: readonly NpmPackage[]): NpmPackage[] {
  const key = ({ name, version }: NpmPackage) => `${name}@${version}`;
  const unique = new Map(packages.map((each) => [key(each), each]));
  return [...unique.values()].toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

/** As Node.js resolves it: in the node_modules of the folder, or of one above it. */
function findPackage(name: string, from: string): NpmPackage | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return readPackage(folder);
  return from === root || dirname(from) === from ? null : findPackage(name, dirname(from));
}

function readPackage(folder: string): NpmPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { author, license, homepage } = manifest;
  return {
    name: manifest.name,
    version: manifest.version,
    licence: typeof license === "string" ? license.replace(/^\((.*)\)$/, "$1") : "",
    author: typeof author === "string" ? author.replace(/ *[<(].*$/, "") : (author?.name ?? ""),
    homepage: typeof homepage === "string" ? homepage : null,
    folder,
    dependencies: Object.keys(manifest.dependencies ?? {}),
  };
}

/** Contents of the files in the package's folder that state its licence or its notices, by name. */
export function licenceTexts({ folder }: NpmPackage): string[] {
  const isText = (name: string) =>
    /^(licen[cs]e|copying|notice|third.?party)/i.test(name) && !/\.(js|ts)$/.test(name);
  return readdirSync(folder)
    .filter(isText)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trimEnd());
}
