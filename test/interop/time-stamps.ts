// Time stamp authorities of others: openssl behind HTTP, and the one of sigstore, stamp the checkpoints of our server, and openssl verifies what the
// server gives out.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOfNote } from "../../src/audit/verify/note.ts";
import { objectsIn } from "../../src/platform/json/json.ts";
import { createTestAuthority, rsa } from "../audit/timestamp/authority.ts";
import { startAuthority } from "../audit/timestamp/authority-server.ts";
import { type Server, startServer } from "../crash/server.ts";
import { runProgram, startProgram } from "./programs.ts";
import { ask, freePort, type Place, until } from "./witnesses.ts";

export async function stampWithOpenssl({ place, ...rest }: Place): Promise<void> {
  for (const [name, key] of Object.entries({ "an elliptic curve": undefined, RSA: rsa })) {
    const folder = join(place, name);
    const made = createTestAuthority(join(folder, "authority"), key === undefined ? {} : { key });
    const authority = startAuthority(made);
    const party = { name: `openssl with ${name}`, url: authority.url, roots: made.root };
    await stampWith(party, { place: folder, ...rest });
    await authority.stop();
  }
}

/** @param program timestamp-server of sigstore */
export async function stampWithSigstore(program: string, { place, ...rest }: Place): Promise<void> {
  mkdirSync(place, { recursive: true });
  const port = freePort();
  const words = ["serve", "--host", "127.0.0.1", "--port", String(port), "--timestamp-signer", "memory"];
  const authority = startProgram([program, ...words, "--disable-ntp-monitoring"], { folder: place });
  const api = `http://127.0.0.1:${port}/api/v1/timestamp`;
  const chain = await until(async () => {
    const response = await fetch(`${api}/certchain`).catch(() => null);
    return response?.ok === true ? response.text() : null;
  });
  const certificates = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
  const roots = join(place, "roots.pem");
  // The first one is that of the authority itself. Its tokens do not have the others.
  writeFileSync(roots, certificates.slice(1).join(""));
  await stampWith({ name: "timestamp-server of sigstore", url: api, roots }, { place, ...rest });
  await authority.kill();
}

interface Party {
  readonly name: string;
  readonly url: string;
  /** PEM file. */
  readonly roots: string;
}

async function stampWith({ name, url, roots }: Party, { command, place, report }: Place): Promise<void> {
  const dataDir = join(place, "data");
  const flags = ["--timestamp-url", url, "--timestamp-roots", roots];
  const server = await startServer({ dataDir, command, flags });
  try {
    await ask(server, "POST", "/v1/memories", { content: "Dana has moved to Porto.", memory_type: "fact" });
    await ask(server, "GET", "/v1/audit/checkpoint");
    const stamped = await until(() => stampedNote(server)).catch(() => null);
    const said = stamped === null ? server.log() : "";
    report.claim(`${name} stamps a checkpoint`, stamped !== null, said);
    if (stamped === null) return;
    const [text, token] = [join(place, "checkpoint.text"), join(place, "checkpoint.token")];
    writeFileSync(text, textOfNote(stamped.note));
    writeFileSync(token, Buffer.from(stamped.timestamp, "base64"));
    const words = ["-data", text, "-token_in", "-in", token, "-CAfile", roots];
    const verified = await runProgram(["openssl", "ts", "-verify", ...words], { folder: place });
    report.claim(`openssl verifies the time stamp of ${name}`, verified.exitCode === 0, verified.output);
  } finally {
    await server.stop();
  }
  const words = ["audit", "verify", "--data-dir", dataDir, "--timestamp-roots", roots];
  const { output } = await runProgram([...command, ...words], { folder: place });
  const isShown = output.includes(" existed at ") && !output.includes("counts for nothing");
  report.claim(`audit verify shows the time stamp of ${name}`, isShown, output);
}

async function stampedNote(server: Server): Promise<{ note: string; timestamp: string } | null> {
  const { checkpoints } = await ask(server, "GET", "/v1/audit/checkpoints?page_size=20");
  const found = objectsIn(checkpoints).find(({ timestamp }) => timestamp !== undefined);
  return found === undefined ? null : { note: String(found.note), timestamp: String(found.timestamp) };
}
