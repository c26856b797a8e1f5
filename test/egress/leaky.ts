// Does what the executable must never do, without leaving this machine: the proof has to find every line of it.
// Run by judge.test.ts and by the proof before it trusts its own silence.

import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const ignore = () => undefined;

await lookup("localhost").catch(ignore);
await fetch("http://127.0.0.1:9/").catch(ignore);
const socket = createSocket("udp4");
await new Promise((resolve) => socket.send("query", 53, "127.0.0.1", resolve));
socket.close();
writeFileSync(join(tmpdir(), "mat-debug.log"), "");
try {
  readFileSync(join(homedir(), ".leakyrc"));
} catch {
  // It is not there; that it was looked for counts.
}
Bun.spawnSync(["true"]);
