// Attack on an erasure: the text is in a request that waits for its answer. The server is killed before the answer comes.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";
import { startFakeUpstream } from "../gateway/fake-upstream.ts";

setDefaultTimeout(120_000);
const upstream = await startFakeUpstream();
afterAll(async () => {
  await cleanUp();
  await upstream.close();
});

test("a text that is erased while a request with it waits does not come back after a kill", async () => {
  const dataDir = createFolder();
  writeFileSync(
    join(dataDir, "memledger.toml"),
    `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["*"]\n`,
  );
  const said = "Zora is allergic to pistachios.";
  const server = await serve(dataDir);
  const key = String(server.ready.api_key);
  const created = (await (await createFact(server.url, key, said)).json()) as { data: { id: string } };
  upstream.answerWith(() => ({ body: ["{", "}"], end: "hang" }));
  const asked = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: `Remember: ${said}` }] }),
  });
  const record = String(asked.headers.get("memledger-record"));
  const erasure = ["audit", "redact", "--memory", created.data.id, "--delete-memory", "--yes"];
  expect((await run([...erasure, "--data-dir", dataDir])).exitCode).toBe(0);
  await server.end("SIGKILL");
  await asked.text().catch(() => {});
  for (const name of ["memledger.db", "memledger.db-wal"])
    expect(readFileSync(join(dataDir, name), "latin1")).not.toContain("pistachios");

  const restarted = await serve(dataDir);
  const { object } = await runJson(["audit", "show", record, "--data-dir", dataDir]);
  expect(JSON.stringify(object)).toContain("outcome is unknown");
  expect(JSON.stringify(object)).not.toContain("pistachios");
  await restarted.end("SIGTERM");
});
