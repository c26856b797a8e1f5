// A server that is killed after a file was sent, and before the answer is stored: the same file is sent again under the same name, and nothing is lost.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAll, type Server, startServer } from "../../crash/server.ts";
import { cleanUp, createFolder } from "../attesting/witnessed.ts";
import { commandOf, depositsIn, verify } from "./kept.ts";

afterAll(async () => {
  await killAll();
  await cleanUp();
});

async function create(server: Server, key: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const answer = await fetch(`${server.url}/v1/memories`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ content: `Fact ${index} of ${count}.`, memory_type: "fact" }),
    });
    expect(answer.status).toBe(201);
  }
}

test("a file that was sent by a server that is killed is sent again as it was", async () => {
  const [folder, dataDir] = [createFolder(), createFolder()];
  const marker = join(folder, "kill");
  const keep = commandOf(
    `mkdir -p "${folder}/$(dirname "$MEMLEDGER_FILE")"; cat > "${folder}/$MEMLEDGER_FILE"
     echo "$MEMLEDGER_SHA256 $MEMLEDGER_FILE" >> ${folder}/log
     if test -e ${marker}; then rm ${marker}; kill -9 $PPID; sleep 1; fi`,
  );
  const flags = ["--keep", keep];
  const first = await startServer({ dataDir });
  const key = first.apiKey ?? "";
  await create(first, key, 5);
  expect(await first.stop()).toBe(0);
  for (const count of [3, 7]) {
    writeFileSync(marker, "");
    // What is there at its start is sent at once. It may be ready before or after that.
    const killed = await startServer({ dataDir, flags }).catch(() => null);
    while (killed !== null && !killed.hasEnded() && existsSync(marker)) await Bun.sleep(10);
    await killed?.kill();
    expect(existsSync(marker)).toBe(false);
    const again = await startServer({ dataDir });
    await create(again, key, count);
    expect(await again.stop()).toBe(0);
  }
  const last = await startServer({ dataDir, flags });
  const isWhole = async () => {
    const { failure, contradiction, chains } = await verify(folder, join(dataDir, "audit.pub"));
    expect([failure, contradiction]).toEqual([null, null]);
    return chains.length === 2;
  };
  while (!(await isWhole())) await Bun.sleep(100);
  expect(await last.stop()).toBe(0);
  const sent = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
  // Each kill has made one file arrive twice, with the same content.
  expect(sent.length).toBeGreaterThanOrEqual(depositsIn(folder).length + 1);
  expect(new Set(sent).size).toBe(depositsIn(folder).length);
}, 120_000);
