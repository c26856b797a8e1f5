// Uses the executable for a while, every operation and every command of it, and judges all of its system calls. Prints its findings
// as one line of JSON. proof.ts starts it in a network namespace of its own: `bun test/egress/run.ts EXECUTABLE SECONDS`.

import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { killAll, type Server } from "../crash/server.ts";
import { items, startFakeLlm } from "../models/extraction/fake-llm.ts";
import { credentials, startBucketServer } from "../server/depositing/bucket-server.ts";
import {
  administer,
  answerHooks,
  connectAssistant,
  dataOf,
  listCommands,
  maintain,
  type RunCommand,
} from "./commands.ts";
import { missedLeaks } from "./leaks.ts";
import { callEverything, deleteEverything, notPerformed } from "./operations.ts";
import { createSandbox } from "./sandbox.ts";

export interface Report {
  readonly seen: string;
  readonly faults: readonly string[];
}

const [, , executable = "", seconds = "60"] = process.argv;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void killAll().finally(() => process.exit(130)));

process.stdout.write(`${JSON.stringify(await observe(resolve(executable), Number(seconds)))}\n`);
process.exit(0);

async function observe(program: string, duration: number): Promise<Report> {
  const missed = await missedLeaks();
  if (missed.length > 0) return { seen: "the proof does not see what it has to", faults: missed };
  using sandbox = createSandbox([program]);
  const commands = new Set<string>(["serve"]);
  const run: RunCommand = async (words, bare = false, input) => {
    const names = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
    if (!words.includes("--help")) commands.add(names.slice(0, 2).join(" "));
    return sandbox.run(bare ? words : [...words, "--data-dir", sandbox.dataDir], input);
  };
  const begun = Date.now();
  const until = (share: number) => begun + duration * 1000 * share;

  const places = { run, named: sandbox.named, publicKey: join(sandbox.dataDir, "audit.pub") };
  const faults: string[] = [];
  const llm = await startFakeLlm();
  llm.otherwise(items({ content: "Dana has moved to Porto.", evidence: "I have moved to Porto." }));
  const languageModel = { MEMLEDGER_LLM_BASE_URL: llm.url, MEMLEDGER_LLM_MODEL: "small" };
  let key = "";
  let calls = 0;
  const performed = new Set<string>();
  let last = { memoryId: "", auditId: "", isErased: false };

  /** One life of the server, one lap at least. */
  const live = async (server: Server, name: string, deadline: number): Promise<void> => {
    key = server.apiKey ?? key;
    const made = await run(["admin-key", "create", "--name", name, "--json"]);
    const target = { url: server.url, key, adminKey: String(dataOf(made.stdout).key) };
    for (let lap = 0; lap === 0 || Date.now() < deadline; lap++) {
      const done = await callEverything(target, `${name}${lap}`);
      for (const line of done.performed) performed.add(line);
      faults.push(...done.faults);
      calls += done.calls;
      const { memoryId, auditId } = done;
      last = { memoryId, auditId, isErased: false };
      if (lap % 5 === 0) {
        // Before the records of memories are erased, because an injection would record them again.
        faults.push(...(await answerHooks(run, sandbox.named, `${name}${lap}`)));
        faults.push(...(await connectAssistant(run)));
        faults.push(...(await administer({ ...places, lap: `${name}${lap}`, ...last })));
        last = { ...last, isErased: true };
      }
      const scraped = await fetch(server.metricsUrl ?? "");
      if (!(await scraped.text()).includes("memledger_calls_total{")) faults.push("no metrics were scraped");
      const refused = await deleteEverything(target);
      if (refused === null) performed.add("DELETE /v1/memories");
    }
    const exitCode = await server.stop();
    if (exitCode !== 0) faults.push(`the server ended with ${exitCode}: ${server.log().slice(0, 300)}`);
  };

  await live(await sandbox.startServer(), "plain", until(0.6));
  faults.push(...(await administer({ ...places, lap: "stopped", ...last })));
  faults.push(...(await connectAssistant(run)));
  faults.push(...(await maintain(run)));
  const [ledgerKey = ""] = readFileSync(places.publicKey, "utf8").split("\n");
  const { witness, setting } = await sandbox.startWitness(ledgerKey);
  commands.add("witness");
  const authority = startRefusingAuthority();
  const buckets = startBucketServer();
  const folder = join(sandbox.named, "kept");
  mkdirSync(folder);
  const parties = {
    ...{ MEMLEDGER_WITNESS: setting, MEMLEDGER_TIMESTAMP_URL: authority.url },
    ...{ MEMLEDGER_KEEP: `s3://ledger,${folder}`, MEMLEDGER_KEEP_S3_ENDPOINT: buckets.url },
    ...{ AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
  };
  await live(await sandbox.startServer({ ...languageModel, ...parties }), "model", until(1));
  faults.push(...(await unwitnessed(sandbox.dataDir)));
  if (authority.asked() === 0) faults.push("nobody asked for a time stamp");
  await authority.stop();
  if (buckets.objects.size === 0) faults.push("no records were kept in the bucket");
  if (readdirSync(folder).length === 0) faults.push("no records were kept in the folder");
  await buckets.stop();
  if ((await witness.stop()) !== 0) faults.push(`the witness failed: ${witness.log().slice(0, 300)}`);
  await llm.stop();
  await crash(await sandbox.startServer());

  const ports = [llm.url, witness.url, authority.url, buckets.url].map((url) => Number(new URL(url).port));
  faults.push(
    ...notPerformed(performed).map((line) => `nobody performed ${line}; add it to test/egress/operations.ts`),
  );
  // A command may have been run with an operand, such as `completion bash`.
  const isRun = (name: string) => [...commands].some((each) => `${each} `.startsWith(`${name} `));
  const others = (await listCommands(run)).filter((name) => !isRun(name));
  faults.push(...others.map((command) => `nobody ran ${command}; add it to test/egress/commands.ts`));
  const judged = await sandbox.judgeAll(ports);
  faults.push(...judged.faults);
  const lasted = Math.round((Date.now() - begun) / 1000);
  return { seen: `${calls} HTTP calls, ${judged.processes} processes, ${lasted} s`, faults };
}

/** A time stamp authority that is asked, and makes none. */
function startRefusingAuthority() {
  let asked = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      asked++;
      return new Response(null, { status: 503 });
    },
  });
  return { url: server.url.href, asked: () => asked, stop: () => server.stop(true) };
}

/** The connection to the witness is judged only if there was one. */
async function unwitnessed(dataDir: string): Promise<string[]> {
  const database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  const found = database.query("SELECT 1 FROM audit_attestation").all();
  database.close();
  return found.length > 0 ? [] : ["the witness has cosigned no checkpoint"];
}

/** Bun answers a crash by starting a program that sends a report; on Linux only where it is told to, on macOS and Windows always. */
async function crash(server: Server): Promise<void> {
  process.kill(server.pid, "SIGSEGV");
  while (!server.hasEnded()) await Bun.sleep(50);
}
