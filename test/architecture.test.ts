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

/** The wings of src/, from the top floor down, each with those that it may import: only wings below it. */
const wings: Readonly<Record<string, string>> = {
  "main.ts": "cli",
  cli: "assistants server engines transports calls gateway models audit access memory platform",
  assistants: "server transports calls access memory platform",
  server: "engines transports calls gateway models audit access memory platform",
  engines: "calls audit access memory platform",
  transports: "console calls gateway audit access platform",
  calls: "gateway audit access memory platform",
  console: "audit platform",
  gateway: "audit access memory platform",
  models: "access memory platform",
  audit: "memory platform",
  access: "memory platform",
  memory: "platform",
  platform: "",
};

/** Imports that run back up. */
const backUp: Readonly<Record<string, string>> = {
  "src/server/status.ts -> src/assistants/connect/snippets.ts":
    "the console shows the lines that memledger connect prints",
};

/** The floors of calls/, from the top down: each may import those below it. "": the files beside the folders. */
const insideCalls = [[""], ["arrival"], ["statistics"], ["operations"], ["contract", "storage"]];

/** The folders of search in the engine, each with those that it may import, types included. */
const belowInSearch: Readonly<Record<string, string>> = {
  "search-cache": "",
  "search/steps": "search-cache",
  "search/index": "search-cache search/steps",
  "search/scanners": "search-cache search/steps search/index",
  "search/searcher": "search-cache search/steps search/index search/scanners",
  "search/groups": "search-cache search/steps",
};

const wingOf = (path: string) => path.split("/")[1] ?? "";

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
  /** Pairs of files of src/ between which there is an import, types included, for which the rule does not hold. */
  const breaches = (isAllowed: (from: string, to: string) => boolean): string[] =>
    [...graph].flatMap(([path, { all }]) =>
      all
        .map((specifier) => resolve(path, specifier))
        .filter((target) => target !== null && graph.has(target) && !isAllowed(path, target))
        .map((target) => `${path} -> ${target}`),
    );

  test("between wings: down, except for the imports that are named with a reason", () => {
    const names = Object.keys(wings);
    expect(names.toSorted()).toEqual([...new Set(sources.map(wingOf))].toSorted());
    for (const [index, [wing, may]] of Object.entries(wings).entries()) {
      const higher = may.split(" ").filter((name) => name !== "" && names.indexOf(name) <= index);
      expect({ wing, higher }).toEqual({ wing, higher: [] });
    }
    const wrong = breaches((from, to) => {
      const may = [wingOf(from), ...(wings[wingOf(from)] ?? "").split(" ")];
      return may.includes(wingOf(to));
    });
    expect(wrong).toEqual(Object.keys(backUp));
  });

  test("between the folders of calls", () => {
    const floorOf = (path: string) => {
      const [, , folder = "", file] = path.split("/");
      return insideCalls.findIndex((folders) => folders.includes(file === undefined ? "" : folder));
    };
    const areInside = (...paths: string[]) => paths.every((path) => path.startsWith("src/calls/"));
    expect(sources.filter((path) => areInside(path) && floorOf(path) === -1)).toEqual([]);
    expect(breaches((from, to) => !areInside(from, to) || floorOf(from) <= floorOf(to))).toEqual([]);
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
      /^(src\/(transports|engines|platform\/(native|threads))\/|elysia|better-sqlite3|(node:)?worker_threads|(node:)?https?$)/;
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
      /^(src\/(calls|transports|engines|platform\/(native|threads)|access)\/|src\/platform\/time\/clock\.ts|elysia|(node:)?(https?|net|fs)$)/;
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
    expect([...reached].filter((path) => /^src\/models\/extraction\/(rules|secrets)\//.test(path))).toEqual(
      [],
    );
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
    visit("src/audit/witness/policy.ts");
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
      ([path]) => wingOf(path) === "engines" || path.startsWith("src/calls/storage/"),
    );
    const wrong = users.flatMap(([path, { all }]) =>
      all
        .filter((specifier) => operations.includes(resolve(path, specifier) ?? ""))
        .map((name) => `${path} -> ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the scan sees imports of every kind", () => {
    const { all, values } = importsOf("src/calls/storage/store.ts");
    expect(all).toContain("./memory-store.ts");
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
      /^(src\/console\/|src\/audit\/verify\/|src\/audit\/witness\/policy\.ts$|src\/platform\/text\/|src\/platform\/errors\.ts$|clients\/typescript\/src\/|@noble\/|preact(\/hooks|-iso)?$|@preact\/signals$|react(\/jsx-dev-runtime)?$)/;
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
    ["better-sqlite3", /^better-sqlite3/, /^src\/platform\/native\//],
    ["Bun's own SQLite", /^bun:sqlite$/, /^src\/engines\/sqlite\/verify\/source\.ts$/],
    ["ONNX Runtime", /^onnxruntime/, /^src\/platform\/native\//],
    ["sqlite-vec", /^sqlite-vec/, /^src\/platform\/native\//],
    ["functions of the C library", /^bun:ffi$/, /^src\/platform\/native\//],
    ["the tokenizer", /^@huggingface\//, /^src\/models\/embedding\//],
    ["canonical JSON", /^canonicalize$/, /^src\/(audit|platform\/json)\//],
    ["commander", /^commander$/, /^src\/cli\//],
    ["worker threads", /^(node:)?worker_threads$/, /^src\/(platform\/(threads|native)|engines|models)\//],
    ["the client of language models", /^openai/, /^src\/models\/extraction\//],
    ["the Model Context Protocol", /^@modelcontextprotocol\//, /^src\/transports\/mcp\//],
    ["dates in natural language", /^chrono-node/, /^src\/models\/extraction\//],
    ["positions in JSON", /^jsonc-parser$/, /^src\/(assistants\/connect|gateway)\//],
    ["positions in TOML", /^toml-eslint-parser$/, /^src\/assistants\/connect\//],
    ["metrics in the format of Prometheus", /^prom-client/, /^src\/server\/metrics\/exposition\.ts$/],
    ["rules for secrets", /^@secretlint/, /^src\/models\/extraction\/secrets\//],
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
      "src/console/clock.ts",
      "src/platform/log/logger.ts",
      "src/platform/time/clock.ts",
    ]);
  });

  test("timers that do not follow the injected clock", () => {
    const timer = /\b(setTimeout|setInterval|Bun\.sleep)\(/;
    const users = serverSources.filter((path) => timer.test(withoutComments(read(path))));
    expect(users.filter((path) => !/^src\/(cli|platform\/native)\//.test(path))).toEqual([
      "src/assistants/importing/import-memories.ts",
      "src/assistants/importing/source.ts",
      // Retention: a test moves the clock by days to make records old, and asks for the retention run itself.
      "src/engines/sqlite/housekeeping.ts",
      "src/models/extraction/llm-question.ts",
      "src/platform/threads/process-deadline-worker.ts",
      "src/platform/time/clock-timers.ts",
      "src/server/data-directory/directory-lock.ts",
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
      (path: string) => /(?:from|import\() ?"\.[^"]*(?<!\.(tsx?|sql|json|md))"/.test(read(path)),
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
      ["src/**/*.{ts,tsx,sql,css}", ...clientSources],
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
