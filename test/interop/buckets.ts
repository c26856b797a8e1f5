// A server of buckets of others: versitygw with Object Lock keeps the records of our server, and nobody can delete or replace them.

import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodePath, signRequest } from "../../src/server/depositing/signature-v4.ts";
import { type Server, startServer } from "../crash/server.ts";
import { runProgram, startProgram } from "./programs.ts";
import { ask, freePort, type Place, until } from "./witnesses.ts";

export const credentials = {
  accessKeyId: "interop",
  secretAccessKey: "a-secret-of-the-interop",
  sessionToken: null,
};
// Of the servers that are started from here on.
process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
const [locked, unlocked] = ["ledger-locked", "ledger-unlocked"];

export async function keepInVersitygw(program: string, { command, place, report }: Place): Promise<void> {
  const [objects, versions] = [join(place, "objects"), join(place, "versions")];
  for (const folder of [objects, versions]) mkdirSync(folder, { recursive: true });
  const port = freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const { accessKeyId, secretAccessKey } = credentials;
  const gateway = startProgram(
    [
      ...[program, "--access", accessKeyId, "--secret", secretAccessKey, "--port", `127.0.0.1:${port}`],
      ...["posix", "--versioning-dir", versions, objects],
    ],
    { folder: place },
  );
  const servers: Server[] = [];
  try {
    const withLock = { "x-amz-bucket-object-lock-enabled": "true" };
    await until(async () => (await send(endpoint, "PUT", locked, "", withLock)).ok || null);
    const made = await send(endpoint, "PUT", unlocked, "");
    if (!made.ok) throw new Error(`versitygw made no bucket: ${await made.text()}`);
    const dataDir = join(place, "data");
    const flags = ["--keep", `s3://${locked}/of-us,s3://${unlocked}`, "--keep-s3-endpoint", endpoint];
    const server = await startServer({ dataDir, command, flags: [...flags, "--log-level", "warn"] });
    servers.push(server);
    for (let index = 0; index < 5; index++)
      await ask(server, "POST", "/v1/memories", { content: `Fact ${index}.`, memory_type: "fact" });
    await ask(server, "GET", "/v1/audit/checkpoint");
    const kept = await until(async () => answersIn(dataDir)).catch(() => []);
    report.claim("versitygw keeps records", kept.length > 0, `${server.log()}\n${gateway.output()}`);
    report.claim(
      "a bucket without Object Lock is refused with what to do",
      /The bucket has no Object Lock|was created with Object Lock/.test(server.log()),
      server.log(),
    );
    await server.stop();
    const folder = join(place, "copy");
    for (const { key, version } of kept) await tryToRemove(endpoint, key, version, { folder, report });
    const words = [...command, "audit", "verify", folder, "--public-key", join(dataDir, "audit.pub")];
    const alone = await runProgram(words, { folder: place });
    report.claim("what versitygw has kept verifies", alone.exitCode === 10, alone.output);
    const compared = await runProgram(
      [...command, "audit", "verify", dataDir, "--kept", folder, "--project", "default"],
      { folder: place },
    );
    report.claim("the ledger is the one that versitygw has kept", compared.exitCode === 0, compared.output);
  } finally {
    for (const server of servers) await server.stop();
    await gateway.kill();
  }
}

interface Kept {
  /** Of the bucket. */
  readonly key: string;
  readonly version: string;
}

/** What the server has stored of its answers; null: nothing yet. */
function answersIn(dataDir: string): readonly Kept[] | null {
  using database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  const rows = database
    .query<{ chain: string; log: string; first: number; size: number; answer: string }, []>(
      "SELECT c.id AS chain, d.log, d.first, d.size, d.answer FROM audit_deposit d JOIN audit_chain c ON c.number = d.chain",
    )
    .all();
  const digits = (seq: number) => String(seq).padStart(12, "0");
  const kept = rows.map(({ chain, log, first, size, answer }) => ({
    key: `of-us/memledger/${chain}/${log}/${digits(first)}-${digits(size)}.jsonl`,
    version: String(JSON.parse(answer).version_id),
  }));
  return kept.length === 0 ? null : kept;
}

async function tryToRemove(
  endpoint: string,
  key: string,
  version: string,
  { folder, report }: Pick<Place, "report"> & { readonly folder: string },
): Promise<void> {
  const query = `versionId=${encodeURIComponent(version)}`;
  const read = async () => (await send(endpoint, "GET", `${locked}/${key}`, query)).text();
  const before = await read();
  const removed = await send(endpoint, "DELETE", `${locked}/${key}`, query, {
    "x-amz-bypass-governance-retention": "true",
  });
  report.claim("a kept version cannot be deleted", !removed.ok, `${removed.status} ${await removed.text()}`);
  const earlier = new Date(Date.now() + 60_000).toISOString();
  const body = `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>COMPLIANCE</Mode><RetainUntilDate>${earlier}</RetainUntilDate></Retention>`;
  const shortened = await send(endpoint, "PUT", `${locked}/${key}`, `retention=&${query}`, {}, body);
  report.claim(
    "its retention cannot be shortened",
    !shortened.ok,
    `${shortened.status} ${await shortened.text()}`,
  );
  const again = await send(endpoint, "PUT", `${locked}/${key}`, "", { "if-none-match": "*" }, "another");
  report.claim("its name is not given to another file", again.status === 412, `${again.status}`);
  await send(endpoint, "PUT", `${locked}/${key}`, "", {}, "another");
  report.claim(
    "a file that is written over it leaves the version",
    (await read()) === before && before !== "",
  );
  const path = join(folder, key.slice("of-us/".length));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, before);
}

async function send(
  endpoint: string,
  method: string,
  path: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Promise<Response> {
  const url = new URL(`${endpoint}/${encodePath(path)}${query === "" ? "" : `?${query}`}`);
  const sha256 = createHash("sha256").update(body).digest("hex");
  const md5 = createHash("md5").update(body).digest("base64");
  const all = { ...headers, "x-amz-content-sha256": sha256, ...(body === "" ? {} : { "content-md5": md5 }) };
  const scope = { region: "us-east-1", service: "s3", at: Date.now() };
  const signed = signRequest({ method, url, headers: all, sha256 }, credentials, scope);
  return fetch(url, { method, headers: signed, ...(body === "" ? {} : { body }) }).catch(
    (error: unknown) => new Response(String(error), { status: 599 }),
  );
}
