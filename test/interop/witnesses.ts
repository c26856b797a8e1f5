// Witnesses and logs of others: litewitness cosigns the checkpoints of our server, and a log made with Tessera gets cosignatures from our witness.

import { Database } from "bun:sqlite";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { checkSignatures } from "../../src/audit/witness/cosignature.ts";
import { parseSignedCheckpoint } from "../../src/audit/witness/signed-checkpoint.ts";
import {
  parseVerifierKeyOf,
  toVerifierKeyOf,
  type VerifierKey,
} from "../../src/audit/witness/verifier-key.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { type Server, startServer } from "../crash/server.ts";
import { runProgram, type StartedProgram, startProgram } from "./programs.ts";
import type { Report } from "./report.ts";

export interface Place {
  /** Words before the name of a command. */
  readonly command: readonly string[];
  /** A new folder for everything. */
  readonly place: string;
  readonly report: Report;
}

const answersWithinMs = 60_000;
const emptyRoot = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

export async function witnessWithLitewitness(
  program: string,
  { command, place, report }: Place,
): Promise<void> {
  mkdirSync(place, { recursive: true });
  const [socket, key, database] = ["agent.sock", "key", "litewitness.db"].map((name) =>
    join(place, name),
  ) as [string, string, string];
  const agent = startProgram(["ssh-agent", "-D", "-a", socket], { folder: place });
  await runProgram(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], { folder: place });
  const variables = { SSH_AUTH_SOCK: socket };
  await until(async () => (await runProgram(["ssh-add", key], { folder: place, variables })).exitCode === 0);
  const shown = await runProgram(["ssh-keygen", "-l", "-f", `${key}.pub`], { folder: place });
  const [fingerprint = ""] = /SHA256:\S+/.exec(shown.stdout) ?? [];
  const listen = `127.0.0.1:${freePort()}`;
  const words = ["-name", "litewitness.example/w", "-db", database, "-ssh-agent", socket, "-listen", listen];
  const witness = startProgram([program, ...words, "-key", fingerprint], { folder: place });
  const vkey = await until(async () => /vkey=(\S+)/.exec(witness.output())?.[1] ?? null);
  const witnessKey = parseVerifierKeyOf(vkey.replaceAll('"', ""), runtimeCryptography);
  if (witnessKey === null) throw new Error(`litewitness has no verifier key: ${witness.output()}`);
  const flags = ["--witness", `http://${listen} ${witnessKey.text}`];
  const server = await startServer({ dataDir: join(place, "data"), command, flags });
  try {
    const first = await signedAfterCreating(server, 1);
    addLog(database, first, join(place, "data"));
    // Not from 0 to 1: what it has refused before is sent again when it is a new checkpoint.
    for (const count of [2, 5, 20]) {
      const note = await signedAfterCreating(server, count);
      const cosigned = await until(async () => {
        const found = await newestNote(server);
        return found.startsWith(note) && found !== note ? found : null;
      }).catch(() => note);
      report.claim(
        `litewitness cosigns a checkpoint after ${count} memories`,
        hasSigned(cosigned, witnessKey),
        `${cosigned}\n${server.log()}\n${witness.output()}`,
      );
    }
  } finally {
    await endAll(server, witness, agent);
  }
}

export async function cosignTessera(program: string, { command, place, report }: Place): Promise<void> {
  mkdirSync(place, { recursive: true });
  const origin = "tessera.example/log";
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const seed = privateKey.export({ type: "pkcs8", format: "der" }).subarray(-32);
  const log = toVerifierKeyOf(origin, "ed25519", raw, runtimeCryptography);
  const secret = Buffer.concat([Buffer.from([1]), seed]).toString("base64");
  writeFileSync(join(place, "log.key"), `PRIVATE+KEY+${origin}+${log.id}+${secret}`);
  writeFileSync(join(place, "log.pub"), log.text);
  const folder = join(place, "witness");
  const words = ["witness", "--data-dir", folder, "--port", "0", "--json", "--log", log.text];
  const witness = startProgram([...command, ...words], { folder: place });
  const url = await until(async () => /"url":"([^"]+)"/.exec(witness.output())?.[1] ?? null);
  const text = readFileSync(join(folder, "witness.pub"), "utf8").trim();
  const key = parseVerifierKeyOf(text, runtimeCryptography);
  if (key === null) throw new Error(`our witness has no verifier key: ${text}`);
  const policy = join(place, "policy");
  writeFileSync(policy, `witness ours ${text} ${url}\ngroup all-of-them 1 ours\nquorum all-of-them\n`);
  for (const round of [1, 2, 3]) {
    const entries = Array.from({ length: 7 * round }, (_, index) => {
      const file = join(place, `entry-${round}-${index}`);
      writeFileSync(file, `entry ${round} ${index}`);
      return file;
    });
    const added = await runProgram(
      [
        ...[program, "--storage_dir", join(place, "tessera"), "--private_key", join(place, "log.key")],
        ...["--witness_policy_file", policy, "--entries", join(place, `entry-${round}-*`)],
      ],
      { folder: place, timeoutMs: 120_000 },
    );
    const checkpoint = readFileSync(join(place, "tessera", "checkpoint"), "utf8");
    report.claim(
      `our witness cosigns a log of Tessera that has ${entries.length} more entries`,
      added.exitCode === 0 && hasSigned(checkpoint, key),
      `${added.output}\n${checkpoint}\n${witness.output()}`,
    );
  }
  await witness.kill();
}

/** The origin of a checkpoint of our server, and its key under that name, as an operator tells litewitness with witnessctl. */
function addLog(path: string, note: string, dataDir: string): void {
  const [line = ""] = readFileSync(join(dataDir, "audit.pub"), "utf8").split("\n");
  const key = parseVerifierKeyOf(line, runtimeCryptography);
  const origin = note.slice(0, note.indexOf("\n"));
  if (key === null) throw new Error(`not a verifier key: ${line}`);
  const { text } = toVerifierKeyOf(origin, "ed25519", key.publicKey, runtimeCryptography);
  const database = new Database(path);
  database.run("INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)", [origin, emptyRoot]);
  database.run("INSERT INTO key (origin, key) VALUES (?, ?)", [origin, text]);
  database.close();
}

async function signedAfterCreating(server: Server, count: number): Promise<string> {
  for (let index = 0; index < count; index++) {
    const content = `Fact ${count}.${index} of the interop.`;
    await ask(server, "POST", "/v1/memories", { content, memory_type: "fact" });
  }
  return String((await ask(server, "GET", "/v1/audit/checkpoint")).note);
}

async function newestNote(server: Server): Promise<string> {
  const { checkpoints } = await ask(server, "GET", "/v1/audit/checkpoints?page_size=1");
  const [newest] = Array.isArray(checkpoints) ? checkpoints : [];
  return isObject(newest) ? String(newest.note) : "";
}

export async function ask({ url, apiKey }: Server, method: string, path: string, body?: object) {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return isObject(answer) && isObject(answer.data) ? answer.data : {};
}

function hasSigned(note: string, key: VerifierKey): boolean {
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === null) return false;
  const { valid, invalid } = checkSignatures(checkpoint, [key], runtimeCryptography);
  return valid.length === 1 && invalid.length === 0;
}

/** @throws Error when it takes too long */
export async function until<Result>(read: () => Promise<Result | false | null>): Promise<Result> {
  const endsAt = performance.now() + answersWithinMs;
  while (performance.now() < endsAt) {
    const found = await read();
    if (found !== null && found !== false) return found;
    await Bun.sleep(300);
  }
  throw new Error("it takes too long");
}

export function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port ?? 0;
}

async function endAll(server: Server, ...programs: readonly StartedProgram[]): Promise<void> {
  await Promise.all([server.stop(), ...programs.map((program) => program.kill())]);
}
