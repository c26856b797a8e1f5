// Collects what an executable contains, with licences and hashes, for the notices and the bill of materials. One list for both.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtInHeads } from "../src/models/embedding/model-directory.ts";
import type { EmbeddedComponents, ModelFiles } from "../src/platform/native/embedded.ts";
import { nativeLibraries } from "../src/platform/native/platform.ts";
import { bunLibraries, relinking } from "./bun-libraries.ts";
import { installedLibrary } from "./embedded-files.ts";
import { requireAccepted } from "./licences.ts";
import { lockedHash } from "./lock-file.ts";
import { installedPackage, licenceTexts, type NpmPackage, withDependencies } from "./packages.ts";
import { root } from "./source.ts";
import type { Target } from "./targets.ts";

export type Component = Readonly<{
  /** Title of the part of the notices: what brings this component into the executable. */
  part: "program" | "runtime" | "libraries" | "model" | "API reference";
  name: string;
  version: string;
  /** An SPDX expression. */
  licence: string;
  copyright: string;
  homepage: string | null;
  /** Package URL. */
  purl: string;
  hash: Readonly<{ algorithm: "SHA-256" | "SHA-512"; hex: string }>;
  /** What the hash is of, if the component is a part of it and no file of its own; null: of the component. */
  hashOf: string | null;
  /** Licence and notices as the component has them; [] if it has none. */
  texts: readonly string[];
}>;

/** @param packages npm packages of the program. @throws Error when a component has no licence, or one that is not accepted */
export function componentsOf(
  target: Target,
  models: readonly ModelFiles[],
  versions: EmbeddedComponents,
  packages: readonly NpmPackage[],
): Component[] {
  const components = [
    ...packages.map((each) => npmComponent(each, "program")),
    ...runtimeComponents(target),
    ...libraryComponents(target, versions),
    ...[...models, ...builtInHeads()].flatMap(modelComponents),
    ...withDependencies("@scalar/api-reference").map((each) => npmComponent(each, "API reference")),
  ];
  for (const { name, licence } of components) requireAccepted(name, licence);
  // A package of the program may also be one of the API reference.
  const first = new Map<string, Component>();
  for (const component of components) if (!first.has(component.purl)) first.set(component.purl, component);
  return [...first.values()];
}

function npmComponent(each: NpmPackage, part: Component["part"]): Component {
  const { name, version, licence, author, homepage } = each;
  return {
    part,
    name,
    version,
    licence,
    copyright: author,
    homepage,
    purl: npmUrl(name, version),
    hash: lockedHash("bun.lock", name, version),
    hashOf: null,
    texts: licenceTexts(each),
  };
}

function npmUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function runtimeComponents({ runtime, platform }: Target): Component[] {
  const bun: Component = {
    part: "runtime",
    name: "Bun",
    version: Bun.version,
    licence: "MIT",
    copyright: "Oven, Inc. and contributors",
    homepage: "https://bun.sh",
    purl: npmUrl(runtime.package, Bun.version),
    hash: lockedHash("release/runtimes/bun.lock", runtime.package, Bun.version),
    hashOf: null,
    texts: [relinking],
  };
  const contained = bunLibraries.filter((library) => library.os === null || library.os === platform.os);
  const libraries = contained.map(({ name, licence, copyright, homepage, versionKey }): Component => {
    const version = versionKey === null ? `of Bun ${Bun.version}` : process.versions[versionKey];
    if (version === undefined)
      throw new Error(`Bun does not contain ${name} any more. Check release/bun-libraries.ts.`);
    const slug = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replace(/-$/, "");
    const purl = `pkg:generic/${slug}@${encodeURIComponent(version)}`;
    const described = { part: "runtime", name, version, licence, copyright, homepage, purl } as const;
    return { ...described, hash: bun.hash, hashOf: bun.purl, texts: [] };
  });
  return [bun, ...libraries];
}

function libraryComponents(target: Target, versions: EmbeddedComponents): Component[] {
  const { platform } = target;
  const addon = nativeLibraries(platform).sqliteAddon;
  const vec = `sqlite-vec-${platform.os === "win32" ? "windows" : platform.os}-${platform.cpu}`;
  const notices = ["onnxruntime-licence.txt", "onnxruntime-third-party-notices.txt"];
  return [
    {
      part: "libraries",
      name: "SQLite",
      version: versions.sqlite,
      licence: "blessing",
      copyright: "none; in the public domain",
      homepage: "https://sqlite.org",
      purl: `pkg:generic/sqlite@${versions.sqlite}`,
      hash: { algorithm: "SHA-256", hex: sha256Of(installedLibrary(addon, target)) },
      hashOf: addon.name,
      texts: [],
    },
    {
      ...npmComponent(installedPackage(vec), "libraries"),
      copyright: "2024 Alex Garcia",
      licence: "MIT OR Apache-2.0",
    },
    {
      ...npmComponent(installedPackage("onnxruntime-node"), "libraries"),
      copyright: "Microsoft Corporation",
      texts: notices.map((name) => readFileSync(join(root, "release/notices", name), "utf8").trimEnd()),
    },
  ];
}

function sha256Of(path: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
}

/** Of models that contain the weights of another one. */
const copyrights = new Map([
  [
    "memledger-embed-v3",
    "the authors of memledger, of all-MiniLM-L6-v2 (Sentence Transformers) and of MiniLM (Microsoft)",
  ],
]);

/** The card of the model has its sources and their licences. Whoever embeds a model of others has to name its licence. */
function modelComponents({ id, sha256 }: ModelFiles): Component[] {
  const card = join(root, "models", id, "README.md");
  if (!existsSync(card)) return [];
  const component: Component = {
    part: "model",
    name: id,
    version: sha256.slice(0, 12),
    licence: "Apache-2.0",
    copyright: copyrights.get(id) ?? "the authors of memledger",
    homepage: null,
    purl: `pkg:generic/${id}@${sha256.slice(0, 12)}`,
    hash: { algorithm: "SHA-256", hex: sha256 },
    hashOf: null,
    texts: [readFileSync(card, "utf8").trimEnd()],
  };
  return [component];
}
