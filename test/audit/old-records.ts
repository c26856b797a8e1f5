// A program for a test of the log: a server whose records grow older than their retention, with its log on stderr. Prints the id of
// the project on stdout.

import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { startTestApp } from "../fixture.ts";

const dayMs = 86_400_000;
const app = await startTestApp({ "log-level": "info", "payload-retention-days": "7" });
const project = await app.createProject("basic");
for (let index = 0; index < 5; index++) await app.call("GET", "/v1/memories", { key: project.key });
app.passTime(8 * dayMs);
await app.call("GET", "/v1/memories", { key: project.key });
await app.administer(pruneRecords, {});
app.passTime(31 * dayMs);
await app.call("GET", "/v1/memories", { key: project.key });
await app.administer(pruneRecords, {});
await app.stop();
process.stdout.write(`${project.id}\n`);
