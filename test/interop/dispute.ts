// Replays a dispute on three machines without internet: a year of calls, third parties on another machine, a receipt that convinces somebody who
// has public keys only, and an operator who rewrites the ledger with all keys. Every third party must contradict that.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../src/platform/json/json.ts";
import { type Server, startServer } from "../crash/server.ts";
import { createMachines, type Machines, removeMachines } from "./networks.ts";
import { type Outcome, runProgram } from "./programs.ts";
import type { Report } from "./report.ts";
import { startParties } from "./third-parties.ts";
import { type Place, until } from "./witnesses.ts";
import { makeYear } from "./year.ts";

interface Options extends Place {
  /** A server of buckets; null: there is none. */
  readonly versitygw: string | null;
}

export async function disputeCall(options: Options): Promise<void> {
  const machines = createMachines();
  try {
    if (machines === null)
      options.report.skip("a dispute on three machines", "this system permits no network namespaces");
    else await dispute({ ...options, machines });
  } finally {
    removeMachines();
  }
}

interface Dispute extends Options {
  readonly machines: Machines;
}

async function dispute({ command, place, report, machines, versitygw }: Dispute): Promise<void> {
  const { own, alone } = machines;
  const [dataDir, older, third] = ["data", "older", "third"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(third, { recursive: true });
  const { key } = await makeYear(dataDir);
  const publicKey = join(third, "ledger.pub");
  cpSync(join(dataDir, "audit.pub"), publicKey);

  const parties = await startParties({
    ...{ command, place, machines, versitygw },
    ledgerKey: readFileSync(publicKey, "utf8"),
  });
  cpSync(parties.roots, join(third, "roots.pem"));
  const flags = [
    ...["--witness", `${parties.witnessUrl} ${parties.witnessKey}`],
    ...["--timestamp-url", parties.stampsUrl, "--timestamp-roots", parties.roots],
    ...(parties.bucket?.flags ?? []),
  ];
  const start = () => startServer({ dataDir, command, flags, wrapper: own.words });
  const send = async ({ url }: Server, method: string, path: string, body?: object) => {
    const words = [
      ...own.words,
      "curl",
      "-sS",
      "-X",
      method,
      "-H",
      `Authorization: Bearer ${key}`,
      url + path,
    ];
    const json = ["-H", "Content-Type: application/json", "-d", JSON.stringify(body)];
    const { stdout } = await runProgram(body === undefined ? words : [...words, ...json], { folder: place });
    const answer: unknown = JSON.parse(stdout);
    return isObject(answer) && isObject(answer.data) ? answer.data : {};
  };
  const append = (server: Server, said: string) =>
    send(server, "POST", "/v1/audit/logs", {
      action: "gateway.chat",
      http_status: 200,
      output_content: said,
    });
  const runHere = (...words: readonly string[]) =>
    runProgram([...command, ...words, "--data-dir", dataDir], { folder: place });
  const runAlone = (...words: readonly string[]) =>
    runProgram([...alone, ...command, ...words], { folder: third });

  let server = await start();
  const first = await signed(server, send);
  await until(() => parties.hasCosigned(first));
  // What an auditor keeps.
  const kept = join(third, "kept.note");
  writeFileSync(kept, await parties.lastNote(first));
  await server.stop();
  cpSync(dataDir, older, { recursive: true });

  server = await start();
  const { id } = await append(server, "Your refund of 900 EUR is approved.");
  await append(server, "Is there anything else?");
  const second = await signed(server, send);
  const isCosigned = await until(() => parties.hasCosigned(second)).catch(() => false);
  report.claim("the witness on the other machine cosigns the disputed call", isCosigned, server.log());
  const isKept = await until(async () => parties.bucket?.has(String(id)) ?? true).catch(() => false);
  report.claim("the disputed call is in the bucket on the other machine", isKept, server.log());
  await stampByFile(second, { run: runHere, place, stamp: parties.stamp });
  const receipt = join(third, "call.tlog-proof");
  await runHere("audit", "receipt", String(id), "--out", receipt);
  await server.stop();

  const keys = ["--public-key", publicKey, "--witness-key", parties.witnessKey];
  const roots = ["--timestamp-roots", join(third, "roots.pem")];
  const convinced = await runAlone("audit", "verify-receipt", receipt, ...keys, ...roots);
  report.claim(
    "its receipt convinces a machine that reaches nobody and has public keys only",
    convinced.exitCode === 0 && /a witness has seen it\..* existed at .*900 EUR/s.test(convinced.output),
    convinced.output,
  );

  // The operator has all keys, and an older copy in which the call is not.
  rmSync(dataDir, { recursive: true });
  renameSync(older, dataDir);
  server = await start();
  for (const said of ["Your refund is refused.", "Good bye.", "Hello.", "What can I do for you?"])
    await append(server, said);
  await signed(server, send);
  const isRefused = await until(async () =>
    /has answered (409|422)|was not confirmed/.test(server.log()),
  ).catch(() => false);
  report.claim("the witness refuses the ledger that was written again", isRefused !== false, server.log());
  await server.stop();

  const verify = (...words: readonly string[]) =>
    runAlone("audit", "verify", dataDir, ...["--public-key", publicKey, "--checkpoint", kept], ...words);
  const [note, policy] = [join(third, "witness.note"), join(third, "policy")];
  writeFileSync(note, await parties.lastNote(readFileSync(receipt, "utf8")));
  writeFileSync(policy, `witness theirs ${parties.witnessKey}\nquorum theirs\n`);
  contradicts("the witness", await verify("--checkpoint", note, "--policy", policy), report);
  contradicts("the receipt", await verify("--checkpoint", receipt, "--policy", policy), report);
  const stamped = await verify("--checkpoint", receipt, "--policy", policy, ...roots);
  contradicts("the time stamp", stamped, report, /call.tlog-proof existed at/);
  if (parties.bucket === null) report.skip("the bucket in a dispute", "there is no versitygw");
  else {
    cpSync(parties.bucket.files, join(third, "bucket"), { recursive: true });
    contradicts("the locked bucket", await verify("--kept", join(third, "bucket")), report);
  }
  await parties.stop();
}

interface ByFile {
  readonly run: (...words: readonly string[]) => Promise<Outcome>;
  readonly place: string;
  readonly stamp: (request: string, answer: string) => Promise<Outcome>;
}

/** Another time stamp within the hour, carried to the authority and back. */
async function stampByFile(note: string, { run, place, stamp }: ByFile): Promise<void> {
  const [file, request, answer] = ["note", "tsq", "tsr"].map((end) => join(place, `checkpoint.${end}`)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, note);
  await run("audit", "timestamp-request", "--checkpoint", file, "--out", request);
  await stamp(request, answer);
  await run("audit", "timestamp-add", answer, "--request", request);
}

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Says which records were replaced, and when those that it has seen existed. */
function contradicts(party: string, { exitCode, output }: Outcome, report: Report, when = time): void {
  const where = /: (record \d+|one of the records from \d+ to \d+) was replaced/;
  const isSaid = exitCode === 30 && where.test(output) && when.test(output);
  report.claim(
    `${party} says that the ledger was written again, where and when`,
    isSaid,
    `${exitCode} ${output}`,
  );
}

/** A new checkpoint of the project. */
async function signed(server: Server, send: Send): Promise<string> {
  return String((await send(server, "GET", "/v1/audit/checkpoint")).note);
}

type Send = (
  server: Server,
  method: string,
  path: string,
  body?: object,
) => Promise<Readonly<Record<string, unknown>>>;
