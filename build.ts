// Builds the one executable: program, workers, native libraries, model, API reference. Must never access a network, never
// embed a native library that can, and never leave out a file without saying so.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readModelConfig } from "./src/embedding/model.ts";
import { readModelDirectory } from "./src/embedding/model-directory.ts";
import { compressApiReference } from "./src/native/assets.ts";
import type { EmbeddedLibrary, ModelFiles } from "./src/native/embedded.ts";
import { requireOffline } from "./src/native/offline.ts";
import {
  currentPlatform,
  libraryPath,
  type NativeLibrary,
  nativeLibraries,
  type Platform,
} from "./src/native/platform.ts";
import { workerEntries } from "./src/threads/spawn.ts";

const usage = `bun run build [--target TARGET] [--model DIR] [--outfile FILE]
  --target   linux-x64, linux-arm64, darwin-arm64 or windows-x64 (default: this machine)
  --model    model directory in the Hugging Face layout (default: models/memledger-embed-v1)
  --outfile  default: dist/memledger`;

type Target = Readonly<{ bun: Bun.Build.CompileTarget; platform: Platform }>;
const targets: Readonly<Record<string, Target>> = {
  "linux-x64": { bun: "bun-linux-x64", platform: { os: "linux", cpu: "x64" } },
  "linux-arm64": { bun: "bun-linux-arm64", platform: { os: "linux", cpu: "arm64" } },
  "darwin-arm64": { bun: "bun-darwin-arm64", platform: { os: "darwin", cpu: "arm64" } },
  "windows-x64": { bun: "bun-windows-x64", platform: { os: "win32", cpu: "x64" } },
};
/** Asked for often, and why not. */
const refusedTargets: Readonly<Record<string, string>> = {
  "linux-x64-musl":
    "ONNX Runtime publishes no library for musl; build linux-x64 and run it on a glibc system such as Debian.",
  "linux-arm64-musl":
    "ONNX Runtime publishes no library for musl; build linux-arm64 and run it on a glibc system such as Debian.",
  "darwin-x64": "ONNX Runtime publishes no library for Macs with Intel processors.",
};

const root = import.meta.dir;
/** Libraries are embedded in parts, each small enough that unpacking it leaves no mark on the server's memory. */
const partBytes = 4 * 1024 * 1024;

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: "string", default: thisMachine() },
      model: { type: "string", default: join(root, "models/memledger-embed-v1") },
      outfile: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  const target = chooseTarget(values.target);
  const outfile = withSuffix(resolve(values.outfile ?? join(root, "dist/memledger")), target.platform);
  mkdirSync(dirname(outfile), { recursive: true });
  const staging = mkdtempSync(join(dirname(outfile), ".building-"));
  try {
    const model = readModelDirectory(values.model);
    readModelConfig(model);
    const embedded = await embeddedModule(staging, target, values.target, model);
    const built = join(staging, basename(outfile));
    await compile(target, built, embedded);
    // Leaves the copies of the source maps behind, and replaces an executable that is running.
    renameSync(built, outfile);
    const megabytes = (statSync(outfile).size / 1e6).toFixed(0);
    process.stdout.write(`${outfile}: ${megabytes} MB, ${values.target}, model ${model.id}\n`);
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** Windows runs nothing without it, and the compiler would add it behind our back. */
function withSuffix(path: string, { os }: Platform): string {
  return os === "win32" && !path.endsWith(".exe") ? `${path}.exe` : path;
}

function thisMachine(): string {
  const { os, cpu } = currentPlatform();
  return `${os === "win32" ? "windows" : os}-${cpu}`;
}

function chooseTarget(name: string): Target {
  const target = targets[name];
  if (target !== undefined) return target;
  throw new Error(`Cannot build for ${name}. ${refusedTargets[name] ?? ""}\n${usage}`);
}

async function compile(target: Target, outfile: string, embedded: string): Promise<void> {
  const workers = Object.values(workerEntries).map((entry) => join(root, "src", entry));
  const result = await Bun.build({
    entrypoints: [join(root, "src/main.ts"), ...workers],
    root: join(root, "src"),
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    // So that the log of an unexpected error names our lines; costs 1 MB and no time at start.
    sourcemap: "inline",
    files: { [join(root, "src/native/embedded.ts")]: embedded },
    define: { MEMLEDGER_COMMIT: JSON.stringify(commit()) },
    compile: {
      target: target.bun,
      outfile,
      // What lies in the working directory must not configure the server.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  if (!result.success) throw new Error(result.logs.join("\n"));
}

/** The commit that is built; "-dirty" when files differ from it. */
function commit(): string {
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
  const head = git("rev-parse", "--short=12", "HEAD");
  if (!head.success) return "unknown";
  const dirty = git("status", "--porcelain", "--untracked-files=no").stdout.length > 0;
  return head.stdout.toString().trim() + (dirty ? "-dirty" : "");
}

/** Source text that takes the place of src/native/embedded.ts: imports every file, so that the bundler embeds it. */
async function embeddedModule(
  staging: string,
  target: Target,
  name: string,
  model: ModelFiles,
): Promise<string> {
  const imports: string[] = [];
  const embed = (path: string) => {
    imports.push(`import file${imports.length} from ${JSON.stringify(path)} with { type: "file" };`);
    return `file${imports.length - 1}`;
  };
  const libraries = Object.values(nativeLibraries(target.platform)).map((library) => {
    const { parts, ...facts } = packLibrary(staging, library, name);
    return `{ ...${JSON.stringify(facts)}, parts: [${parts.map(embed).join(", ")}] }`;
  });
  const files = Object.entries(model.files).map(([file, path]) => {
    const copy = join(staging, file.replaceAll("/", "_"));
    writeFileSync(copy, readFileSync(path));
    return `${JSON.stringify(file)}: ${embed(copy)}`;
  });
  const reference = join(staging, "api-reference.js.gz");
  writeFileSync(reference, await compressApiReference());
  const { id, sha256 } = model;
  const value = `{
  libraries: [${libraries.join(", ")}],
  model: { ...${JSON.stringify({ id, sha256 })}, files: { ${files.join(", ")} } },
  apiReference: ${embed(reference)},
}`;
  return `${imports.join("\n")}\nexport const embedded = ${value};\n`;
}

function packLibrary(staging: string, library: NativeLibrary, target: string): EmbeddedLibrary {
  const bytes = readFileSync(installedPath(library, target));
  requireOffline(library.name, bytes);
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += partBytes) {
    const part = join(staging, `${library.name}.${parts.length}.zst`);
    writeFileSync(part, Bun.zstdCompressSync(bytes.subarray(start, start + partBytes), { level: 9 }));
    parts.push(part);
  }
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { name: library.name, parts, size: bytes.length, sha256 };
}

function installedPath(library: NativeLibrary, target: string): string {
  const [name = target, cpu] = target.split("-");
  const os = name === "windows" ? "win32" : name;
  const hint = `Bring the packages of ${target}: bun install --os ${os} --cpu ${cpu}`;
  try {
    const path = libraryPath(library);
    if (existsSync(path)) return path;
  } catch (cause) {
    throw new Error(`${library.name} is not installed. ${hint}`, { cause });
  }
  throw new Error(`${library.name} is not in its package. ${hint}`);
}
