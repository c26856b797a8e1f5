// Proves that the TypeScript package is what its users get: built by the compiler, with types that a strict project accepts, and run by
// Node.js, which has neither the source nor Bun.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocksOf } from "../docs/pages.ts";
import { startTestApp } from "../fixture.ts";
import { program as installed, testWith } from "../needs.ts";

const root = join(import.meta.dir, "../..");
const source = join(root, "clients/typescript");
const compiler = join(root, "node_modules/.bin/tsc");
const folder = mkdtempSync(join(tmpdir(), "memledger-package-"));
const target = join(folder, "node_modules/memledger");

beforeAll(async () => {
  mkdirSync(target, { recursive: true });
  copyFileSync(join(source, "package.json"), join(target, "package.json"));
  const built = await run([compiler, "--project", source, "--outDir", join(target, "dist")]);
  expect(built).toEqual({ exitCode: 0, output: "" });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

async function run(command: string[], env: Record<string, string> = {}): Promise<Ran> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output: texts.join("") };
}

const program = `
import { ApiError, Memledger, type AgentMemory, type MemoryType } from "memledger";

const client = new Memledger({ apiKey: "ml_test", timeoutMs: 1_000 });
const wanted: MemoryType | undefined = Math.random() > 2 ? "rule" : undefined;
export async function contents(): Promise<string[]> {
  const { results } = await client.memories.search({ query: "When do we ship?", memory_type: wanted });
  const memories: AgentMemory[] = results.map(({ memory }) => memory);
  await client.memories.delete(memories[0]?.id ?? "", { signal: AbortSignal.timeout(1) });
  for await (const record of client.audit.iterate({ page_size: 10 })) record.seq.toFixed();
  return memories.map(({ content }) => content);
}
export const isDuplicate = (error: unknown): boolean => error instanceof ApiError && error.code === 2104;
`;

/** The program with one mistake. */
const mistakes: readonly (readonly [string, string, RegExp])[] = [
  ['query: "When do we ship?"', "query: 1", /number.* is not assignable to type 'string'/],
  ['{ query: "When do we ship?", memory_type: wanted }', "{}", /'query' is missing/],
  ["memory_type: wanted", 'memory_type: "opinion"', /"opinion".* is not assignable/],
  ["memory_type: wanted", "topk: 3", /'topk' does not exist/],
  ["record.seq.toFixed()", "record.number", /'number' does not exist/],
  ["memories[0]?.id", "memories[0].id", /possibly 'undefined'/],
];

test("a strict project compiles with its types, and is told what is wrong", async () => {
  const options = "--strict --noEmit --noUncheckedIndexedAccess --exactOptionalPropertyTypes --types";
  const compile = async (text: string) => {
    writeFileSync(join(folder, "program.mts"), text);
    const words = [...options.split(" "), "", "--module", "nodenext", "--lib", "es2022,dom"];
    return run([compiler, ...words, "program.mts"]);
  };
  expect(await compile(program)).toEqual({ exitCode: 0, output: "" });
  for (const [right, wrong, message] of mistakes) {
    const { exitCode, output } = await compile(program.replace(right, wrong));
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(message);
  }
});

/** A browser has no `process`: no environment, and a user agent of its own. */
const asInBrowser = `
const { URL_OF_SERVER: baseUrl, KEY: apiKey } = process.env;
const { stdout } = process;
delete globalThis.process;
const { Memledger } = await import("memledger");
let message = "";
try {
  new Memledger({ baseUrl });
} catch (error) {
  message = error.message.slice(0, 11);
}
const sent = (url, init) => {
  if ("User-Agent" in init.headers) throw new Error("a header that CORS would have to permit");
  return fetch(url, init);
};
const { logs } = await new Memledger({ baseUrl, apiKey, fetch: sent }).audit.list({ action: "memory.search" });
stdout.write(message + " " + logs[0].action + " " + logs[0].http_status + "\\n");
`;

const node = Bun.which("node");
testWith(installed("node"))(
  `Node.js runs the examples of the page${node === null ? " (skipped: no node)" : ""}`,
  async () => {
    const app = await startTestApp();
    try {
      const examples = blocksOf("clients/typescript/README.md").filter(({ language }) => language === "js");
      expect(examples.map(({ option }) => option)).toEqual(["example.mjs", "export.mjs"]);
      const { key } = await app.createProject("custom");
      for (const { option, text } of examples) {
        writeFileSync(join(folder, option), text.replace("http://127.0.0.1:8420", app.url));
        const { exitCode, output } = await run([node ?? "", option], { MEMLEDGER_API_KEY: key });
        expect({ exitCode, output: exitCode === 0 ? "" : output }).toEqual({ exitCode: 0, output: "" });
        if (option === "example.mjs") expect(output).toContain("Releases go out on Tuesdays.");
      }
      expect(readFileSync(join(folder, "audit.csv"), "utf8")).toContain("memory.search");
      writeFileSync(join(folder, "browser.mjs"), asInBrowser);
      const { exitCode, output } = await run([node ?? "", "browser.mjs"], {
        URL_OF_SERVER: app.url,
        KEY: key,
      });
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: "No API key. memory.search 200\n" });
    } finally {
      await app.stop();
    }
  },
);
