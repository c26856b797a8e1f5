// Drives a real server with programs of others: `bun run interop [--all] [EXECUTABLE]`. It runs dist/memledger if there is one, or the source.
// Needs registries for the first installation; what cannot be installed is skipped by name, and without --all also what takes minutes to
// build. Must never leave a process behind.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fromSource, killAll, startServer } from "../crash/server.ts";
import { keepInVersitygw } from "./buckets.ts";
import { runConformance } from "./conformance.ts";
import { disputeCall } from "./dispute.ts";
import { useFrameworks } from "./frameworks.ts";
import { useGateway } from "./gateway.ts";
import { runInspector } from "./inspector.ts";
import {
  findGoProgram,
  findLitestream,
  installPackages,
  installPythonPackages,
  litewitness,
  tesseraLog,
  timestampServer,
  versitygw,
} from "./install.ts";
import { startKeyProxy } from "./key-proxy.ts";
import { replicateWithLitestream } from "./litestream.ts";
import { killPrograms } from "./programs.ts";
import { runPythonClient } from "./python-client.ts";
import { createReport } from "./report.ts";
import { stampWithOpenssl, stampWithSigstore } from "./time-stamps.ts";
import { cosignTessera, witnessWithLitewitness } from "./witnesses.ts";

const { values, positionals } = parseArgs({ options: { all: { type: "boolean" } }, allowPositionals: true });
const executable = resolve(positionals[0] ?? join(import.meta.dir, "../../dist/memledger"));
const command = existsSync(executable) ? [executable] : fromSource;
const place = mkdtempSync(join(tmpdir(), "memledger-interop-"));
const report = createReport();

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void end().finally(() => process.exit(130)));

process.stdout.write(`The server is ${command.join(" ")}.\n`);
try {
  const packages = await installPackages();
  const pythonPackages = await installPythonPackages();
  const dataDir = join(place, "data");
  const server = await startServer({ dataDir, command });
  const apiKey = server.apiKey ?? "";
  const proxy = startKeyProxy(server.url, apiKey);
  const endpoint = `${proxy.url}/mcp`;
  if (packages !== null) {
    report.skip("the conformance suite of MCP", packages);
    report.skip("the command line of the MCP inspector", packages);
  } else {
    await runConformance(endpoint, join(place, "conformance"), report);
    await runInspector(endpoint, join(place, "inspector"), report);
  }
  if (pythonPackages !== null) report.skip("the Python package mcp", pythonPackages);
  else {
    const target = { url: `${server.url}/mcp`, apiKey, command, dataDir };
    await runPythonClient(target, report);
  }
  await proxy.stop();
  await useGateway({ command, place: join(place, "gateway"), report, noPython: pythonPackages });
  await useFrameworks({
    command,
    place: join(place, "frameworks"),
    report,
    noPackages: packages,
    noPython: pythonPackages,
  });
  const litestream = await findLitestream();
  if ("reason" in litestream) report.skip("replication with Litestream", litestream.reason);
  else await replicateWithLitestream(litestream.path, { command, place: join(place, "litestream"), report });
  const witnessing = await findGoProgram(litewitness);
  if (Bun.which("ssh-agent") === null) report.skip("litewitness as a witness", "there is no ssh-agent");
  else if ("reason" in witnessing) report.skip("litewitness as a witness", witnessing.reason);
  else await witnessWithLitewitness(witnessing.path, { command, place: join(place, "litewitness"), report });
  const tessera = await findGoProgram(tesseraLog);
  if ("reason" in tessera) report.skip("a log of Tessera with our witness", tessera.reason);
  else await cosignTessera(tessera.path, { command, place: join(place, "tessera"), report });
  if (Bun.which("openssl") === null) report.skip("time stamps of openssl", "there is no openssl");
  else await stampWithOpenssl({ command, place: join(place, "openssl"), report });
  const gateway = await findGoProgram(versitygw);
  if ("reason" in gateway) report.skip("records in a bucket of versitygw", gateway.reason);
  else await keepInVersitygw(gateway.path, { command, place: join(place, "versitygw"), report });
  await disputeCall({
    ...{ command, place: join(place, "dispute"), report },
    versitygw: "reason" in gateway ? null : gateway.path,
  });
  const stamping =
    values.all === true
      ? await findGoProgram(timestampServer)
      : { reason: "it takes minutes to build: add --all" };
  if (Bun.which("openssl") === null) report.skip("time stamps of sigstore", "there is no openssl");
  else if ("reason" in stamping) report.skip("time stamps of sigstore", stamping.reason);
  else await stampWithSigstore(stamping.path, { command, place: join(place, "sigstore"), report });
  report.claim("the server ends in order", (await server.stop()) === 0, server.log());
  report.claim("the server has logged no error", !/"level":"error"/.test(server.log()), server.log());
} finally {
  await end();
}
process.exit(report.end());

async function end(): Promise<void> {
  await Promise.all([killPrograms(), killAll()]);
  rmSync(place, { recursive: true, force: true });
}
