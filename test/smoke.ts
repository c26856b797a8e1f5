// Drives the built executable, copied alone into an empty folder, as a newcomer would: `bun run smoke [FILE [RUNNER...]]`.
// Needs nothing but Bun itself, so it also runs where node_modules is out of reach. RUNNER starts an executable of another processor
// architecture: a program and its options, such as `qemu-aarch64-static -cpu neoverse-n1`. A program under it cannot start itself again,
// so what needs that is skipped. Every step has a limit (step-limit.ts), so that a process that hangs fails the test.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { obstacle } from "./docs/client-packages.ts";
import { startLanguageModel } from "./docs/language-models.ts";
import { stepLimitMs, withinStepLimit } from "./docs/step-limit.ts";
import { createFolderWith, removeFolder, type Started, startServer, walk, walkedPages } from "./docs/walk.ts";
import { findNamespace } from "./egress/namespace.ts";
import { items, startFakeLlm } from "./models/extraction/fake-llm.ts";
import { checkAssistants } from "./smoke-assistants.ts";

const executable = resolve(process.argv[2] ?? join(import.meta.dir, "../dist/memledger"));
const runner = process.argv.length > 3 ? process.argv.slice(3).join(" ") : null;
if (process.argv[3] !== undefined && Bun.which(process.argv[3]) === null)
  throw new Error(
    `${process.argv[3]} is not installed. Debian has qemu-aarch64-static in the package qemu-user-static.`,
  );
if (!existsSync(executable)) throw new Error(`${executable} does not exist; run "bun run build" first.`);

let passed = 0;
function check(claim: string, holds: boolean, details: unknown = ""): void {
  if (!holds) throw new Error(`failed: ${claim} ${JSON.stringify(details)}`);
  process.stdout.write(`ok: ${claim}\n`);
  passed++;
}

const folder = createFolderWith(executable, runner);
const llm = await startFakeLlm();
const servers: Started[] = [];
async function start(...flags: readonly string[]): Promise<Started> {
  const server = await startServer(folder, ...flags);
  servers.push(server);
  return server;
}

async function fetchText(url: string, options: RequestInit) {
  const answer = await fetch(url, options);
  return { status: answer.status, ok: answer.ok, text: await answer.text() };
}

/** The answer with its whole body. */
function request(url: string, options: RequestInit = {}) {
  return withinStepLimit(`the answer to ${url}`, fetchText(url, options));
}

/** The executable names what it contains. The native libraries are asked for their versions when it is built. */
function checkVersion(): void {
  const command = [join(folder, "memledger"), "version", "--json"];
  const { stdout, exitedDueToTimeout } = Bun.spawnSync(command, { timeout: stepLimitMs });
  check("version ends in time", exitedDueToTimeout !== true);
  const { bun, embedded } = JSON.parse(stdout.toString());
  check("version --json names Bun", bun === Bun.version, bun);
  check("version --json names the model", /^[0-9a-f]{64}$/.test(embedded.model.sha256), embedded.model);
  const versions = [embedded.sqlite, embedded.sqlite_vec, embedded.onnxruntime, embedded.api_reference];
  check(
    "version --json names the libraries",
    versions.every((each) => /^\d+\.\d+\.\d+$/.test(each)),
    versions,
  );
  const packages: readonly string[] = embedded.packages;
  check(
    "version --json names the packages",
    packages.some((name) => /^elysia@\d/.test(name)),
    packages,
  );
}

const handbook = "docs/OPERATIONS.md";

/** The first hour and the tasks of an operator, where nothing but this machine can be reached. */
async function walkHandbook(): Promise<void> {
  const namespace = findNamespace();
  const script = join(import.meta.dir, "docs/walk-page.ts");
  const child = Bun.spawn([...(namespace ?? []), process.execPath, script, handbook, executable], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const walked = await child.stdout.text();
  const where =
    namespace === null ? "with the network: this system permits no namespaces" : "without a network";
  check(`every command of ${handbook} works, ${where}`, (await child.exited) === 0, walked);
}

/** Runs the commands of a page in a folder of its own. */
async function walkPage(page: string): Promise<void> {
  const reason = obstacle(page);
  if (reason !== null) {
    process.stdout.write(`${page}: ${reason}\n`);
    return;
  }
  if (page === handbook) return walkHandbook();
  const own = createFolderWith(executable, runner);
  const model = await startLanguageModel(page);
  try {
    const { exitCode, output, calls } = await walk(page, own, { llmUrl: model.url });
    check(`every command of ${page} works`, exitCode === 0, output);
    const failed = calls.filter(({ status }) => status < 200 || status > 299);
    check(`every call of ${page} succeeds`, failed.length === 0, failed);
  } finally {
    removeFolder(own);
    await model.stop();
  }
}

try {
  for (const page of runner === null ? walkedPages : ["README.md"]) await walkPage(page);
  checkVersion();
  const first = await start();
  check("the first start prints a key", first.apiKey !== null);
  const { apiKey } = first;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const create = (url: string, content: string) =>
    request(`${url}/v1/memories`, {
      method: "POST",
      headers,
      body: JSON.stringify({ content, memory_type: "fact" }),
    });
  check("a memory is created", (await create(first.url, "The office is in Lisbon.")).status === 201);
  check(
    "the same content again is refused",
    (await create(first.url, "The office is in Lisbon.")).status === 409,
  );
  check("the server ends in order", (await first.stop()) === 0);

  const second = await start();
  check("the second start prints no key", second.apiKey === null);
  const search = await request(`${second.url}/v1/memories/search`, {
    method: "POST",
    headers,
    body: JSON.stringify({ query: "Where do we work?", top_k: 5 }),
  });
  const found = search.text;
  check("what was stored is found after a restart", found.includes("The office is in Lisbon."), found);
  const page = (await request(`${second.url}/docs`)).text;
  const scripts = [...page.matchAll(/src="([^"]+)"/g)].map(([, source]) => source ?? "");
  check(
    "the reference page has a script and asks nobody else",
    scripts.length > 0 && scripts.every((source) => source.startsWith("/")),
    scripts,
  );
  for (const source of scripts) check(`${source} is served`, (await request(second.url + source)).ok);
  process.kill(second.pid, "SIGKILL");
  await Bun.sleep(200);
  const third = await start("--llm-base-url", llm.url, "--llm-model", "small");
  check("a start after kill -9 works", (await request(`${third.url}/health/ready`)).ok);
  const post = async (path: string, fields: object) => {
    const body = JSON.stringify(fields);
    return (await request(`${third.url}/v1/memories/${path}`, { method: "POST", headers, body })).text;
  };
  const text = "Dana: I have moved to Porto. Nice weather!";
  llm.otherwise(items({ content: "Dana has moved to Porto.", evidence: "I have moved to Porto." }));
  const [extracted, again] = [await post("extract", { text }), await post("extract", { text })];
  check("a language model on this machine extracts", extracted.includes('"action":"created"'), extracted);
  check("what it extracts again is skipped", again.includes('"deduplicated":1'), again);
  const injected = await post("inject", { query: "Where does Dana live?" });
  check("what it extracted is injected", injected.includes("Dana has moved to Porto."), injected);
  check("the third start ends in order", (await third.stop()) === 0);
  if (runner === null) await checkAssistants(folder, check);
  else process.stdout.write(`skipped under ${runner}: other pages, and assistants\n`);
} finally {
  // A check that fails must leave no server behind; those that have ended are not there to be stopped.
  await Promise.allSettled(servers.map((server) => server.stop()));
  await llm.stop();
  removeFolder(folder);
}
process.stdout.write(`${passed} passed, 0 failed\n`);
