// Builds the browser files of the console from src/console: bundles with hashed names, compressed. The same source gives the same bytes on
// every machine, because the files become part of a release. Must never access a network.

import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { savedPage } from "../../../console/verification/saved-page-document.ts";
import { version } from "../../../platform/version.ts";

/** Below this path the files are served. Their names contain a hash of their content, so they never change. */
export const assetsPath = "/console/assets/";

/** Each form is the whole content. */
export interface BuiltFile {
  /** Such as `main-1a2b3c4d.js`; `index.html` is the page, `verifier.html` the page that people save. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

/** Makes scripts smaller than Bun's minifier does, which takes seconds. */
export interface Minifier {
  /** A part of the names of files: their hashes are computed before. Lower-case letters and digits. */
  readonly id: string;
  minify(script: string): Promise<string>;
}

export interface ConsoleBuild {
  /** Sorted by name. */
  readonly files: readonly BuiltFile[];
  /** Absolute paths of all modules in them. */
  readonly modules: readonly string[];
}

const source = join(import.meta.dir, "../../../console");
/** The program of the page, and its styles. The imports of the views make chunks of their own. */
const entries = ["main.tsx", "styles/console.css"];
/** Sets the theme before the page is painted, so it is no module. */
const themeEntry = "theme.ts";
/** A worker starts from a script without imports. */
const workerEntry = "verification/verification-worker.ts";
/** The page that people save: script and style of one file without others. */
const savedEntries = ["verification/saved-page.tsx", "verification/saved-page.css"];

const jsx = new Bun.Transpiler({
  loader: "tsx",
  tsconfig: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
});

const common = {
  root: source,
  target: "browser",
  minify: true,
  publicPath: assetsPath,
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  throw: false,
  plugins: [
    {
      name: "jsx",
      // As tsconfig.json says it, children would be a property, and the scripts one per cent larger.
      setup: (build) =>
        void build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => ({
          loader: "js",
          contents: jsx.transformSync(
            `import { Fragment, h } from "preact";\n${await Bun.file(path).text()}`,
          ),
        })),
    },
  ],
} satisfies Partial<Bun.BuildConfig>;

/**
 * @param minifier of executables; null: from source, a start does not wait for it
 * @throws Error with what the bundler says
 */
export async function buildConsole(minifier: Minifier | null): Promise<ConsoleBuild> {
  const outputs = await Promise.all([
    bundle(minifier, {
      ...common,
      entrypoints: entries.map((entry) => join(source, entry)),
      format: "esm",
      splitting: true,
      // The only chunk that is loaded later needs nothing else.
      modulePreload: false,
    }),
    bundle(minifier, { ...common, entrypoints: [join(source, themeEntry)], format: "iife" }),
    bundle(minifier, { ...common, entrypoints: [join(source, workerEntry)], format: "iife" }),
  ]);
  const saved = await buildSavedPage(minifier);
  const scripts = outputs.flatMap(({ files }) => files);
  const page = new Blob([pageWith(scripts.map(({ name }) => name))]);
  const all = [...scripts, { name: "index.html", type: html, content: page }, ...saved.files];
  const files = await Promise.all(all.map(compress));
  const modules = new Set([...outputs, saved].flatMap((output) => output.modules));
  return {
    files: files.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    modules: [...modules].toSorted(),
  };
}

const html = "text/html; charset=utf-8";

async function buildSavedPage(minifier: Minifier | null): Promise<Output> {
  const { files, modules } = await bundle(minifier, {
    ...common,
    entrypoints: savedEntries.map((entry) => join(source, entry)),
    format: "iife",
  });
  const textOf = async (end: string) => files.find(({ name }) => name.endsWith(end))?.content.text() ?? "";
  const [script, style] = await Promise.all([textOf(".js"), textOf(".css")]);
  const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");
  const hashes = { scriptHash: hashOf(script), styleHash: hashOf(style) };
  const content = new Blob([savedPage({ version, script, style, ...hashes })]);
  return { files: [{ name: "verifier.html", type: html, content }], modules };
}

interface Output {
  readonly files: readonly { readonly name: string; readonly type: string; readonly content: Blob }[];
  readonly modules: readonly string[];
}

async function bundle(minifier: Minifier | null, config: Bun.BuildConfig): Promise<Output> {
  const named = `[name]-[hash]${minifier?.id ?? ""}.[ext]`;
  const naming = { entry: named, chunk: named, asset: named };
  const { success, outputs, logs, metafile } = await Bun.build({ ...config, naming });
  if (!success || metafile === undefined)
    throw new Error(`The console cannot be built. Correct its source.\n${logs.join("\n")}`);
  const files = outputs.map(async (output) => ({
    name: output.path.replace(/^\.\//, ""),
    type: output.type.replace(/;\s*/, "; "),
    content:
      minifier !== null && output.path.endsWith(".js")
        ? new Blob([await minifier.minify(await output.text())])
        : output,
  }));
  return {
    files: await Promise.all(files),
    // The list has paths that are relative to the working directory.
    modules: Object.keys(metafile.inputs).map((path) => resolve(path)),
  };
}

/** All forms of a file. */
export async function compress({ name, type, content }: Output["files"][number]): Promise<BuiltFile> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  const brotliOptions = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  const brotlied = await promisify(brotliCompress)(bytes, brotliOptions);
  // Three per cent smaller than what zlib makes.
  const gzip = Bun.gzipSync(bytes, { library: "libdeflate", level: 12 });
  return { name, type, bytes, gzip, brotli: new Uint8Array(brotlied) };
}

/** Nothing is inline, so the policy of the page needs no exception. */
function pageWith(names: readonly string[]): string {
  const find = (start: string, end: string) => {
    const name = names.find((each) => each.startsWith(start) && each.endsWith(end));
    if (name === undefined) throw new Error(`The build of the console made no ${start}*${end}.`);
    return `${assetsPath}${name}`;
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="memledger-verification-worker" content="${find("verification-worker-", ".js")}">
<title>memledger</title>
<link rel="icon" href="${icon}">
<script src="${find("theme-", ".js")}"></script>
<link rel="stylesheet" href="${find("console-", ".css")}">
<script type="module" src="${find("main-", ".js")}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. Everything else works without it: the API is described at <a href="/docs">/docs</a>, and <code>memledger --help</code> lists the commands.</noscript>
</body>
</html>
`;
}

/** Two links of a chain. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#3b5bdb"/><path d="M6.5 5.5H5a2.5 2.5 0 0 0 0 5h1.5m3-5H11a2.5 2.5 0 0 1 0 5H9.5M5.75 8h4.5" fill="none" stroke="#fff" stroke-width="1.4" stroke-linecap="round"/></svg>',
)}`;
