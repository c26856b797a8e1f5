// Replaces src/platform/native/embedded.ts in an executable by a module that imports every file of the program. Both exist in memory only: a path
// of this machine would make each build different. Must never leave out a file without saying so.

import { existsSync, readFileSync } from "node:fs";
import { builtInHeads, readParts } from "../src/models/embedding/model-directory.ts";
import { compressApiReference } from "../src/platform/native/assets.ts";
import type { EmbeddedComponents, EmbeddedLibrary, ModelFiles } from "../src/platform/native/embedded.ts";
import { requireOffline } from "../src/platform/native/offline.ts";
import { libraryPath, type NativeLibrary, nativeLibraries } from "../src/platform/native/platform.ts";
import { buildConsole, compress } from "../src/transports/http/console/console-build.ts";
import { consoleMinifier } from "./console-minifier.ts";
import { shareParts } from "./shared-parts.ts";
import type { Target } from "./targets.ts";

const namespace = "embedded";
/** Libraries are embedded in parts, each small enough that unpacking it leaves no mark on the server's memory. */
const partBytes = 4 * 1024 * 1024;

/**
 * A plugin for Bun.build.
 * @param models embedding models; the first one is that of new data directories
 * @param texts for people, which the console serves, by their names
 * @throws Error when a library of the target is not installed, or contains network functions
 */
export async function embeddedFiles(
  target: Target,
  models: readonly ModelFiles[],
  components: EmbeddedComponents,
  texts: Readonly<Record<string, string>>,
): Promise<Bun.BunPlugin> {
  const files = new Map<string, Uint8Array>();
  const imports: string[] = [];
  const embed = (name: string, bytes: Uint8Array) => {
    files.set(name, bytes);
    imports.push(`import file${imports.length} from "${namespace}:${name}";`);
    return `file${imports.length - 1}`;
  };
  const libraries = Object.values(nativeLibraries(target.platform)).map((library) => {
    const { parts, ...facts } = packLibrary(library, target);
    const names = parts.map((part, index) => embed(`${library.name}.${index}.zst`, part));
    return `{ ...${JSON.stringify(facts)}, parts: [${names.join(", ")}] }`;
  });
  const shared = new Map<Uint8Array, string>();
  const embedPart = (name: string, part: Uint8Array) => {
    const known = shared.get(part);
    if (known !== undefined) return known;
    const variable = embed(name, part);
    shared.set(part, variable);
    return variable;
  };
  const embedModel = ({ id, sha256, graphSha256, files: paths }: ModelFiles, contents: readonly Parts[]) => {
    const entries = Object.keys(paths).map((file, at) => {
      const parts = (contents[at] ?? []).map((part, index) =>
        embedPart(`${id}_${file.replaceAll("/", "_")}.${index}`, part),
      );
      return `${JSON.stringify(file)}: [${parts.join(", ")}]`;
    });
    return `{ ...${JSON.stringify({ id, sha256, graphSha256 })}, files: { ${entries.join(", ")} } }`;
  };
  const contentsOf = ({ files: paths }: ModelFiles) => Object.values(paths).map(readParts);
  // Two models have their largest tables in common.
  const contents = models.map(contentsOf);
  const parts = shareParts(contents.flat());
  const modelTexts = models.map((model, at) => {
    const before = contents.slice(0, at).reduce((sum, files) => sum + files.length, 0);
    return embedModel(model, parts.slice(before, before + (contents[at]?.length ?? 0)));
  });
  const headTexts = builtInHeads().map((head) =>
    embedModel(
      head,
      contentsOf(head).map((bytes) => [bytes]),
    ),
  );
  const reference = embed("api-reference.js.gz", await compressApiReference());
  const { files: consoleFiles } = await buildConsole(consoleMinifier);
  const textFiles = await Promise.all(
    Object.entries(texts).map(([name, text]) =>
      compress({ name, type: "text/plain; charset=utf-8", content: new Blob([text]) }),
    ),
  );
  const pages = [...consoleFiles, ...textFiles].map(
    ({ name, type, gzip, brotli }) =>
      `{ ...${JSON.stringify({ name, type })}, gzip: ${embed(`${name}.gz`, gzip)}, brotli: ${embed(`${name}.br`, brotli)} }`,
  );
  const module = `${imports.join("\n")}
export const embedded = {
  libraries: [${libraries.join(", ")}],
  models: [${modelTexts.join(", ")}],
  heads: [${headTexts.join(", ")}],
  apiReference: ${reference},
  console: [${pages.join(", ")}],
  components: ${JSON.stringify(components)},
};
`;
  return {
    name: namespace,
    setup(build) {
      build.onLoad({ filter: /src[/\\]platform[/\\]native[/\\]embedded\.ts$/ }, () => ({
        contents: module,
        loader: "js",
      }));
      build.onResolve({ filter: /^embedded:/ }, ({ path }) => ({
        path: path.slice(namespace.length + 1),
        namespace,
      }));
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        const contents = files.get(path);
        if (contents === undefined) throw new Error(`${path} is not among the embedded files`);
        return { contents, loader: "file" };
      });
    },
  };
}

/** The bytes of a file, in order. */
type Parts = readonly Uint8Array[];

type PackedLibrary = Readonly<Omit<EmbeddedLibrary, "parts"> & { parts: readonly Uint8Array[] }>;

function packLibrary(library: NativeLibrary, target: Target): PackedLibrary {
  const bytes = readFileSync(installedLibrary(library, target));
  requireOffline(library.name, bytes);
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += partBytes)
    parts.push(Bun.zstdCompressSync(bytes.subarray(start, start + partBytes), { level: 9 }));
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { name: library.name, parts, size: bytes.length, sha256 };
}

/** Path of a native library of the target in node_modules. @throws Error that says how to install it */
export function installedLibrary(library: NativeLibrary, { name, platform }: Target): string {
  const hint = `Bring the packages of ${name}: bun install --os ${platform.os} --cpu ${platform.cpu}`;
  try {
    const path = libraryPath(library);
    if (existsSync(path)) return path;
  } catch (cause) {
    throw new Error(`${library.name} is not installed. ${hint}`, { cause });
  }
  throw new Error(`${library.name} is not in its package. ${hint}`);
}
