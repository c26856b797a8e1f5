// Holds the source to the rules that docs only state: who may depend on whom, what each file must have, and what none may contain.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");
const list = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })]
    .filter((path) => !/(^|\/)(node_modules|dist|\.git|\.go|\.venv|memledger-data)\//.test(path))
    .toSorted();
const read = (path: string) => readFileSync(join(root, path), "utf8");

const sources = list("src/**/*.{ts,tsx}").filter((path) => !path.endsWith(".d.ts"));
/** Without the program of the browser, which has no injected clock. */
const serverSources = sources.filter((path) => !path.startsWith("src/console/"));
/** Without the generated files. */
const clientSources = ["clients/generator/*.ts", "clients/typescript/src/*.ts"];
const everything = [
  ...list("{src,test,bench,docs,clients,release,deploy}/**/*.{ts,tsx,css,sql,md}"),
  ...list("clients/**/*.{py,toml,json}"),
  ...list("*.{ts,md,json,toml}"),
];

/** Groups of files: their folders and files in src/, without the ending. The longest path that is named here decides. */
const groups: Readonly<Record<string, string>> = {
  nouns: `dates json schema text files log scheduling statistics storage clock clock-shift clock-timers errors ids iso8601 limits network timestamp timestamp-fault
    received-answer version calls/administrator calls/answer calls/applied calls/application calls/call calls/effects calls/exchange calls/operation calls/request`,
  "checks of the ledger": "audit/verify audit/checkpoint audit/tree",
  domains: "access memory suggestions subjects conversations audit export model-change backup remembering",
  calls: "calls",
  native: "native",
  threads: "threads",
  ranking: "ranking",
  embedding: "embedding",
  extraction: "extraction",
  gateway: "gateway",
  "gateway thread": "gateway/thread",
  engines: "engines/sqlite",
  "choice of the engine": "engines/engines",
  transports: "transports",
  "local access": "local-access",
  "MCP proxy": "mcp-proxy",
  config: "config data-directory/data-directory data-directory/file-kinds data-directory/ownership",
  hooks: "hooks",
  importing: "importing",
  assistants: "assistants",
  "ledger files": "data-directory/ledger-files data-directory/ledger-notes data-directory/ledger-rotation",
  metrics: "metrics",
  overview: "overview",
  process: "app background-work listening monitoring overseeing starting data-directory",
  cli: "cli",
  main: "main",
  "shared with the console": "console/addresses console/verification/saved-page-document",
  console: "console",
};

/** The groups that each group may import, types included. "types of X": types only. */
const allowed: Readonly<Record<string, string>> = {
  nouns: "nouns, types of checks of the ledger, types of domains, types of gateway",
  "checks of the ledger": "nouns, checks of the ledger",
  domains: "nouns, ranking, checks of the ledger, domains",
  calls: "nouns, checks of the ledger, domains, gateway, calls",
  native: "nouns, shared with the console, native",
  threads: "nouns, native, threads",
  ranking: "nouns, native, ranking",
  embedding: "nouns, types of domains, native, threads, ranking, embedding",
  extraction: "nouns, domains, native, threads, extraction",
  gateway: "nouns, domains, gateway",
  "gateway thread": "nouns, domains, threads, gateway, gateway thread",
  engines: "nouns, ranking, checks of the ledger, domains, calls, native, threads, engines",
  "choice of the engine": "nouns, native, engines",
  transports:
    "nouns, domains, gateway, calls, native, types of overview, shared with the console, transports",
  "local access": "nouns, native, transports, config, local access",
  "MCP proxy": "nouns, local access, MCP proxy",
  config: "nouns, domains, gateway, config",
  hooks: "nouns, types of local access, hooks",
  importing: "nouns, domains, local access, importing",
  assistants: "nouns, hooks, config, assistants",
  "ledger files": "nouns, checks of the ledger, domains, ledger files",
  process: `nouns, checks of the ledger, domains, calls, native, threads, embedding, extraction, gateway, gateway thread, choice of the engine, transports, local access, config,
    ledger files, metrics, overview, assistants, process`,
  cli: `nouns, checks of the ledger, domains, calls, native, threads, embedding, types of gateway, choice of the engine, transports, local access, MCP proxy, hooks,
    importing, assistants, config,
    ledger files, process, cli`,
  overview: "nouns, domains, calls, types of gateway, overview",
  metrics: "nouns, domains, calls, native, transports, types of embedding, types of gateway, metrics",
  main: "nouns, cli, main",
  "shared with the console": "shared with the console",
  console: "nouns, types of domains, checks of the ledger, shared with the console, console",
};

/** The folders of search in the engine, each with those that it may import, types included. */
const belowInSearch: Readonly<Record<string, string>> = {
  "search-cache": "",
  "search/steps": "search-cache",
  "search/index": "search-cache search/steps",
  "search/scanners": "search-cache search/steps search/index",
  "search/searcher": "search-cache search/steps search/index search/scanners",
  "search/groups": "search-cache search/steps",
};

const groupByPath: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, paths]) => paths.split(/\s+/).map((path) => [path, group])),
);

/** @throws Error for a file or folder that is in no group above. */
function groupOf(path: string): string {
  const name = path.replace(/^src\//, "").replace(/\.tsx?$/, "");
  const parts = name.split("/");
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join("/"));
  const group = above.map((folder) => groupByPath[folder]).find((found) => found !== undefined);
  if (group === undefined)
    throw new Error(`${path} belongs to no group; add it to one in test/architecture.test.ts`);
  return group;
}

const verbatim = { compilerOptions: { verbatimModuleSyntax: true } };
const tsconfig = JSON.stringify(verbatim);
const transpilers = {
  ts: new Bun.Transpiler({ loader: "ts", tsconfig }),
  tsx: new Bun.Transpiler({ loader: "tsx", tsconfig }),
};

interface Imports {
  /** Those that stay when types are erased. */
  readonly values: readonly string[];
  readonly all: readonly string[];
}

function importsOf(path: string): Imports {
  const text = read(path);
  const transpiler = transpilers[path.endsWith(".tsx") ? "tsx" : "ts"];
  const scan = (code: string) => transpiler.scanImports(code).map((found) => found.path);
  // The transpiler erases type imports, so the second look makes them look like any other.
  return { values: scan(text), all: scan(text.replace(/^(import|export) type (?=[{*]|\w+ from)/gm, "$1 ")) };
}

const graph = new Map(sources.map((path) => [path, importsOf(path)]));

function resolve(from: string, specifier: string): string | null {
  return specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : null;
}

describe("dependencies point one way", () => {
  test("between groups", () => {
    const wrong: string[] = [];
    for (const [path, { values, all }] of graph) {
      const may = allowed[groupOf(path)]?.split(/,\s+/) ?? [];
      for (const specifier of all) {
        const target = resolve(path, specifier);
        if (target === null || !/^src\/.*\.tsx?$/.test(target)) continue;
        const group = groupOf(target);
        const isType = !values.includes(specifier);
        if (!may.includes(group) && !(isType && may.includes(`types of ${group}`)))
          wrong.push(`${path} -> ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("to an engine from the one file that chooses it", () => {
    const engineOf = (path: string | null) => /^src\/engines\/[\w-]+\//.exec(path ?? "")?.[0];
    const users = [...graph].filter(([path, { all }]) =>
      all.some((specifier) => {
        const engine = engineOf(resolve(path, specifier));
        return engine !== undefined && engine !== engineOf(path);
      }),
    );
    expect(users.map(([path]) => path)).toEqual(["src/engines/engines.ts"]);
  });

  test("between the folders of search in the engine", () => {
    const engine = "src/engines/sqlite/";
    const folderOf = (path: string) =>
      path.startsWith(engine)
        ? /^(search\/[\w-]+|search-cache)\//.exec(path.slice(engine.length))?.[1]
        : undefined;
    const wrong = [...graph].flatMap(([path, { all }]) => {
      const folder = folderOf(path);
      const below = folder === undefined ? undefined : belowInSearch[folder];
      if (folder === undefined || below === undefined) return folder === undefined ? [] : [path];
      return all.filter((specifier) => {
        const target = folderOf(resolve(path, specifier) ?? "");
        return target !== undefined && target !== folder && !below.split(" ").includes(target);
      });
    });
    expect(wrong).toEqual([]);
  });

  test("without a circle, imports of types included", () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      if (trail.includes(path) || done.has(path)) return;
      for (const specifier of graph.get(path)?.all ?? []) {
        const target = resolve(path, specifier);
        if (target !== null && graph.has(target)) visit(target, [...trail, path]);
      }
      done.add(path);
    };
    for (const path of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });

  test("from calls to no transport and no engine, by any way", () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const specifier of graph.get(path)?.all ?? []) visit(resolve(path, specifier) ?? specifier);
    };
    for (const path of sources.filter((path) => path.startsWith("src/calls/"))) visit(path);
    expect([...reached]).toContain("src/calls/operations/memories/create.ts");
    const wrong =
      /^(src\/(transports|engines|native|threads)\/|elysia|better-sqlite3|(node:)?worker_threads|(node:)?https?$)/;
    expect([...reached].filter((path) => wrong.test(path))).toEqual([]);
  });

  test("from the dialects of the gateway to no network, no operation and no clock, by any way", () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const specifier of graph.get(path)?.values ?? []) visit(resolve(path, specifier) ?? specifier);
    };
    for (const path of sources.filter((path) => /^src\/gateway\/(dialects|answer)\//.test(path))) visit(path);
    expect([...reached]).toContain("src/memory/search/prompt.ts");
    const wrong =
      /^(src\/(calls|transports|engines|native|threads|access)\/|src\/clock\.ts|elysia|(node:)?(https?|net|fs)$)/;
    expect([...reached].filter((path) => wrong.test(path))).toEqual([]);
  });

  test("from the program to what only threads may load", () => {
    const reached = new Set<string>();
    const packages = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const specifier of graph.get(path)?.values ?? []) {
        const target = resolve(path, specifier);
        if (target === null) packages.add(specifier);
        else visit(target);
      }
    };
    visit("src/main.ts");
    expect(packages).toContain("elysia");
    expect([...packages].filter((name) => /^(chrono-node|@secretlint)/.test(name))).toEqual([]);
    expect([...reached].filter((path) => /^src\/extraction\/(rules|secrets)\//.test(path))).toEqual([]);
  });

  test("from the checks of the ledger to nothing that a browser lacks, by any way", () => {
    const reached = new Set<string>();
    const packages = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const specifier of graph.get(path)?.values ?? []) {
        const target = resolve(path, specifier);
        if (target === null) packages.add(specifier);
        else visit(target);
      }
    };
    for (const path of sources.filter((path) => path.startsWith("src/audit/verify/"))) visit(path);
    expect([...reached]).toContain("src/audit/verify/segment.ts");
    expect([...reached]).toContain("src/platform/time/timestamp.ts");
    expect([...packages]).toEqual(["canonicalize"]);
    const ofServers = /\b(Bun|Buffer|process)\./;
    expect([...reached].filter((path) => ofServers.test(withoutComments(read(path))))).toEqual([]);
  });

  test("from an engine to no operation: what a call leaves to do is said by its result", () => {
    const operations = sources.filter((path) => /= (project|installation)Operation\(/.test(read(path)));
    expect(operations.length).toBeGreaterThan(20);
    const users = [...graph].filter(
      ([path]) => groupOf(path) === "engines" || path.startsWith("src/calls/storage/"),
    );
    const wrong = users.flatMap(([path, { all }]) =>
      all
        .filter((specifier) => operations.includes(resolve(path, specifier) ?? ""))
        .map((name) => `${path} -> ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("every group and every path in the tables exists", () => {
    expect(Object.keys(allowed).toSorted()).toEqual(Object.keys(groups).toSorted());
    const paths = Object.keys(groupByPath);
    const unused = paths.filter(
      (path) => !sources.some((file) => file === `src/${path}.ts` || file.startsWith(`src/${path}/`)),
    );
    expect(unused).toEqual([]);
    const importable = Object.values(allowed).flatMap((may) => may.split(/,\s+/));
    const known = Object.keys(groups).flatMap((group) => [group, `types of ${group}`]);
    expect(importable.filter((group) => !known.includes(group))).toEqual([]);
  });

  test("the scan sees imports of every kind", () => {
    const { all, values } = importsOf("src/calls/storage/store.ts");
    expect(all).toContain("../memory/store.ts");
    expect(values).toEqual([]);
    expect(importsOf("src/engines/sqlite/schema/migrate.ts").values).toContain(
      "./migrations/0001-initial.sql",
    );
  });
});

describe("the TypeScript client", () => {
  test("needs no package and nothing of the server, so it runs wherever there is fetch", () => {
    const files = list("clients/typescript/src/**/*.ts");
    expect(files.length).toBeGreaterThan(8);
    const imported = files.flatMap((path) =>
      importsOf(path).all.map((specifier) => resolve(path, specifier) ?? specifier),
    );
    expect(imported.filter((path) => !path.startsWith("clients/typescript/src/"))).toEqual([]);
  });

  test("is not part of the server", () => {
    const users = [...graph].filter(([path, { all }]) =>
      all.some((specifier) => resolve(path, specifier)?.startsWith("clients/")),
    );
    expect(users.map(([path]) => path).filter((path) => !path.startsWith("src/console/"))).toEqual([]);
  });
});

describe("the console", () => {
  test("runs in a browser: it has the client of the API, few packages, and nothing of the server but types", () => {
    const users = [...graph].filter(([path]) => path.startsWith("src/console/"));
    expect(users.length).toBeGreaterThan(3);
    const values = users.flatMap(([path, { values }]) =>
      values.map((specifier) => resolve(path, specifier) ?? specifier),
    );
    // The scan names the runtime of JSX "react", whatever is configured. That package is not installed.
    const known =
      /^(src\/console\/|src\/audit\/verify\/|src\/text\/|src\/errors\.ts$|clients\/typescript\/src\/|@noble\/|preact(\/hooks|-iso)?$|@preact\/signals$|react(\/jsx-dev-runtime)?$)/;
    expect(values.filter((path) => !known.test(path))).toEqual([]);
  });

  test("is loaded by no module of the server", () => {
    const users = [...graph].filter(
      ([path, { all }]) =>
        !path.startsWith("src/console/") &&
        all.some((specifier) => resolve(path, specifier)?.startsWith("src/console/")),
    );
    expect(users.map(([path]) => path).toSorted()).toEqual([
      "src/transports/http/console/console-build.ts",
      "src/transports/http/console/pages.ts",
    ]);
  });

  test("has no inline style and no script in its texts, which its policy would block", () => {
    const wrong = /\bstyle="|dangerouslySetInnerHTML|innerHTML|\beval\(|new Function\(|javascript:/;
    const users = sources.filter((path) => path.startsWith("src/console/") && wrong.test(read(path)));
    expect(users).toEqual([]);
  });
});

describe("packages stay where they belong", () => {
  test.each<[string, RegExp, RegExp]>([
    ["Elysia", /^(elysia|@elysiajs\/.*)$/, /^src\/transports\/http\//],
    ["better-sqlite3", /^better-sqlite3/, /^src\/native\//],
    ["Bun's own SQLite", /^bun:sqlite$/, /^src\/engines\/sqlite\/verify\/source\.ts$/],
    ["ONNX Runtime", /^onnxruntime/, /^src\/native\//],
    ["sqlite-vec", /^sqlite-vec/, /^src\/native\//],
    ["functions of the C library", /^bun:ffi$/, /^src\/native\//],
    ["the tokenizer", /^@huggingface\//, /^src\/embedding\//],
    ["canonical JSON", /^canonicalize$/, /^src\/(audit|export)\//],
    ["commander", /^commander$/, /^src\/cli\//],
    ["worker threads", /^(node:)?worker_threads$/, /^src\/(threads|native|engines|embedding|extraction)\//],
    ["the client of language models", /^openai/, /^src\/extraction\//],
    ["the Model Context Protocol", /^@modelcontextprotocol\//, /^src\/transports\/mcp\//],
    ["dates in natural language", /^chrono-node/, /^src\/extraction\//],
    ["positions in JSON", /^jsonc-parser$/, /^src\/(assistants|gateway)\//],
    ["positions in TOML", /^toml-eslint-parser$/, /^src\/assistants\//],
    ["metrics in the format of Prometheus", /^prom-client/, /^src\/metrics\/exposition\.ts$/],
    ["rules for secrets", /^@secretlint/, /^src\/extraction\/secrets\//],
    ["what the pages are built from", /^@?preact/, /^src\/console\//],
    ["cryptography of the browser", /^@noble\//, /^src\/console\/verification\//],
  ])("%s", (_, name, home) => {
    const users = [...graph].filter(([, { all }]) => all.some((specifier) => name.test(specifier)));
    expect(users.map(([path]) => path).filter((path) => !home.test(path))).toEqual([]);
  });

  test("SQL", () => {
    const sql =
      /\b(SELECT|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|BEGIN IMMEDIATE|PRAGMA) /;
    const users = sources.filter((path) => sql.test(withoutComments(read(path))));
    expect(users.filter((path) => !path.startsWith("src/engines/sqlite/"))).toEqual([]);
    expect(users.length).toBeGreaterThan(5);
  });

  test("the time of the day", () => {
    const users = sources.filter((path) => /\bDate\.now\(|\bnew Date\(\)/.test(withoutComments(read(path))));
    expect(users).toEqual([
      "src/platform/time/clock.ts",
      "src/console/clock.ts",
      "src/platform/log/logger.ts",
    ]);
  });

  test("timers that do not follow the injected clock", () => {
    const timer = /\b(setTimeout|setInterval|Bun\.sleep)\(/;
    const users = serverSources.filter((path) => timer.test(withoutComments(read(path))));
    expect(users.filter((path) => !/^src\/(cli|native)\//.test(path))).toEqual([
      "src/platform/time/clock-timers.ts",
      "src/server/data-directory/directory-lock.ts",
      // Retention: a test moves the clock by days to make records old, and asks for the sweep itself.
      "src/engines/sqlite/housekeeping.ts",
      "src/models/extraction/llm-question.ts",
      "src/assistants/importing/import-memories.ts",
      "src/assistants/importing/source.ts",
      "src/platform/threads/process-deadline-worker.ts",
      "src/transports/http/body.ts",
      "src/transports/http/exchange-client.ts",
    ]);
  });

  test("chance", () => {
    const users = sources.filter((path) => /\bMath\.random\(/.test(read(path)));
    expect(users).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

describe("every file", () => {
  test.each([
    [
      "begins with a sentence that says what it owns",
      (path: string) => !/^(\/\/|--) [A-Z\u0022].{20,}/.test(read(path)),
      ["src/**/*.{ts,tsx,sql}", "test/**/*.ts", "bench/**/*.ts", "clients/**/*.ts", "release/**/*.ts"],
    ],
    [
      "fits in 260 lines",
      (path: string) => read(path).split("\n").length > 261,
      ["src/**/*.{ts,tsx}", "release/**/*.ts", ...clientSources],
    ],
    [
      "imports files by their full name",
      (path: string) => /(?:from|import\() ?"\.[^"]*(?<!\.(tsx?|sql|json))"/.test(read(path)),
      ["src/**/*.{ts,tsx}", "test/**/*.ts", "bench/**/*.ts", "clients/**/*.ts", "release/**/*.ts"],
    ],
    [
      "silences no check",
      (path: string) =>
        new RegExp(["biome", "-ignore|@ts", "-(ignore|expect-error|nocheck)"].join("")).test(read(path)),
      ["{src,test,bench,clients,release}/**/*.{ts,tsx}"],
    ],
    [
      "is named in lower case with hyphens",
      (path: string) => !/^[a-z0-9./-]+$/.test(path),
      ["src/**/*", ...clientSources],
    ],
  ])("%s", (_, isWrong, patterns) => {
    const files = patterns.flatMap(list).filter((path) => !path.endsWith(".d.ts"));
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter(isWrong)).toEqual([]);
  });

  test("says nothing about the machine it was written on", () => {
    // In pieces, so that this file does not say it either.
    const machine = new RegExp(
      [
        ["/", "work/"],
        ["\\.\\./", "shared"],
        ["/", "root/"],
        ["/", "home/\\w+/"],
        ["registry\\.", "npmjs"],
      ]
        .map((parts) => parts.join(""))
        .join("|"),
    );
    expect(everything.length).toBeGreaterThan(80);
    expect(everything.filter((path) => machine.test(read(path)))).toEqual([]);
  });
});
