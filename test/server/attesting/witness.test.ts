// A server and its witnesses: checkpoints are cosigned soon after they are signed, what a witness knows is continued, and a ledger that does not
// continue is refused by the witness and said to the operator.

import { afterEach, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import { toData, toText } from "../../../src/cli/audit/report.ts";
import { verifyPath } from "../../../src/cli/audit/verify.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { ledgerKeyOf, startWitness } from "../witness/running-witness.ts";
import {
  cleanUp,
  cosigned,
  create,
  createFolder,
  createLedgerKey,
  sign,
  signersOf,
  startWith,
  startWitnessOf,
  until,
  witnessAll,
  writeKey,
} from "./witnessed.ts";

afterEach(cleanUp);

test("checkpoints are cosigned by every witness, and given out with the cosignatures", async () => {
  const { file, text } = createLedgerKey();
  const key = ledgerKeyOf(writeKey(text));
  const [one, two] = [await startWitnessOf(key, "one"), await startWitnessOf(key, "two")];
  const app = await startWith([one.setting, two.setting], { "audit-key": file });
  const keys = [one.key, two.key];
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 3; count++) await create(app);
    const note = await sign(app);
    const given = await cosigned(app, keys);
    expect(given.startsWith(note)).toBe(true);
    expect(signersOf(given, [key, ...keys])).toEqual({ valid: ["memledger", "one", "two"], invalid: 0 });
    const { origin } = parseSignedCheckpoint(note) ?? { origin: "" };
    expect((await one.last(origin))?.startsWith(note)).toBe(true);
  }
  const { data: logs } = await app.call("GET", "/v1/audit/logs?page_size=100");
  const oldest = Array.isArray(logs.logs) ? logs.logs.at(-1) : null;
  const { data } = await app.call("GET", `/v1/audit/logs/${(oldest as { id: string }).id}/proof`);
  expect(signersOf(String(data.checkpoint), keys).valid).toEqual(["one", "two"]);
  expect(app.complaints).toEqual([]);
});

test("a witness that knows more than the server remembers is continued from there", async () => {
  const { file, text } = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(text)), "knows-more");
  const app = await startWith([witness.setting], { "audit-key": file });
  for (let count = 0; count < 5; count++) await create(app);
  await sign(app);
  await cosigned(app, [witness.key]);
  await app.restart(() => {
    const database = openDatabase(join(app.config.dataDir, "memledger.db"), runtime);
    expect(database.prepare("DELETE FROM audit_attestation").run().changes).toBeGreaterThan(0);
    database.close();
  });
  await create(app);
  const note = await sign(app);
  expect((await cosigned(app, [witness.key])).startsWith(note)).toBe(true);
  expect([app.complaints, witness.log]).toEqual([[], []]);
});

test("a witness that does not know the ledger is named once, with what to do", async () => {
  const foreign = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(foreign.text)), "foreign");
  const app = await startWith([witness.setting], { "metrics-port": "0" });
  await create(app);
  await sign(app);
  const refused = await until(app, async () => (app.complaints.length > 1 ? app.complaints : null));
  expect(refused.every((line) => line.includes("Give the operator of the witness audit.pub"))).toBe(true);
  expect(
    refused.some((line) => /another program: memledger\/[0-9a-f]{32}\/2\+[0-9a-f]{8}\+A/.test(line)),
  ).toBe(true);
  app.passTime(11_000);
  await Bun.sleep(300);
  // One for each chain.
  expect(app.complaints).toHaveLength(2);
  const metrics = await (await fetch(app.metricsUrl ?? "")).text();
  expect(metrics).toContain('memledger_attestations_waiting{kind="cosignature",party="foreign"} 2');
  expect(metrics).toMatch(/memledger_attestations_oldest_waiting_timestamp_seconds\{.*\} \d{10}/);
});

test("a witness that does not answer delays no call, and gets the newest checkpoint when it is there again", async () => {
  const { file, text } = createLedgerKey();
  const [key, folder] = [ledgerKeyOf(writeKey(text)), createFolder()];
  const first = await startWitness(folder, [key], "restarted");
  const port = new URL(first.url).port;
  await first.stop();
  const app = await startWith([first.setting], { "audit-key": file });
  await create(app);
  expect((await create(app)).status).toBe(201);
  await sign(app);
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(app.complaints[0]).toContain("checkpoints cannot be confirmed now");
  const again = await startWitnessOf(key, null, folder, Number(port));
  await cosigned(app, [again.key]);
  expect(app.complaints).toHaveLength(1);
});

/** What audit verify says of a copy of the data directory, with a policy. */
async function verify(
  dataDir: string,
  publicKey: string,
  policy: string,
  checkpoints: readonly string[] = [],
) {
  const copy = join(createFolder(), "copy");
  cpSync(dataDir, copy, { recursive: true });
  const file = join(createFolder(), "policy");
  writeFileSync(file, policy);
  const options = { checkpoints, publicKey: join(publicKey, "audit.pub"), policy: file, project: null };
  const found = await verifyPath(copy, options);
  const { verdict, policy: said } = toData(found);
  return { verdict, policy: said, text: toText(found) };
}

test("audit verify says which witnesses have signed, since when, and whether the policy is satisfied", async () => {
  const { file, text } = createLedgerKey();
  const key = ledgerKeyOf(writeKey(text));
  const [one, two] = [await startWitnessOf(key, "one"), await startWitnessOf(key, "two")];
  const absent = await startWitnessOf(key, "absent");
  const app = await startWith([one.setting, two.setting], { "audit-key": file });
  const publicKey = writeKey(text);
  const begin = Math.floor(Date.now() / 1_000) * 1_000;
  await create(app);
  await sign(app);
  await cosigned(app, [one.key, two.key]);
  await create(app);
  const note = await sign(app);
  await cosigned(app, [one.key, two.key]);
  await witnessAll(app, [one, two]);
  const { dataDir } = app.config;
  const lines = [one, two, absent].map(({ key }) => `witness ${key.name} ${key.text}\n`).join("");
  await app.restart(async () => {
    const enough = await verify(
      dataDir,
      publicKey,
      `log ${text}\n${lines}group g 2 one two absent\nquorum g\n`,
    );
    expect([enough.verdict, enough.policy?.satisfied]).toEqual(["intact", true]);
    expect(enough.text).toContain("is satisfied.");
    expect(enough.text).toContain("absent has not signed it.");
    const leaves = parseSignedCheckpoint(note)?.size ?? 0;
    const own = enough.policy?.chains.find(({ chain }) => note.includes(chain));
    const [first] = own?.witnesses ?? [];
    // The shutdown signs the newest records, and nobody has cosigned them.
    expect(own?.satisfied?.tree_size).toBeGreaterThanOrEqual(leaves);
    expect(first?.first?.tree_size).toBeLessThan(leaves);
    expect(Date.parse(first?.first?.at ?? "")).toBeGreaterThanOrEqual(begin);
    const all = await verify(dataDir, publicKey, `${lines}group g all one two absent\nquorum g\n`);
    expect([all.verdict, all.policy?.satisfied]).toEqual(["unattested", false]);
    expect(all.text).toContain("nobody outside has signed this");
    expect(all.text).toContain("is NOT satisfied for 2 chains: its quorum, g, has not signed.");
    const other = createLedgerKey();
    const foreign = await verify(dataDir, publicKey, `log ${other.text}\n${lines}quorum one\n`);
    expect(foreign.policy?.satisfied).toBe(false);
    expect((await verify(dataDir, publicKey, "quorum none\n")).verdict).toBe("unattested");
    const database = openDatabase(join(dataDir, "memledger.db"), runtime);
    const changed =
      "UPDATE audit_attestation SET content = substr(content, 1, length(content) - 6) || 'AAAAA='";
    expect(database.prepare(changed).run().changes).toBeGreaterThan(0);
    database.close();
    const forged = await verify(dataDir, publicKey, `${lines}quorum one\n`);
    expect([forged.verdict, forged.policy?.satisfied]).toEqual(["unattested", false]);
    expect(forged.text).toContain("is not valid: somebody has changed it");
  });
});

test("the last checkpoint of a witness proves that the operator has put back and continued the ledger", async () => {
  const { file, text } = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(text)), "strict");
  const app = await startWith([witness.setting], { "audit-key": file });
  const { dataDir } = app.config;
  const [copy, publicKey] = [join(createFolder(), "copy"), writeKey(text)];
  await create(app);
  await app.restart(() => cpSync(dataDir, copy, { recursive: true }));
  for (let count = 0; count < 4; count++) await create(app);
  const { origin } = parseSignedCheckpoint(await sign(app)) ?? { origin: "" };
  await cosigned(app, [witness.key]);
  const seen = await witness.last(origin);
  await app.restart(() => {
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
  });
  for (let count = 0; count < 20; count++) await create(app);
  await sign(app);
  const refused = await until(
    app,
    async () => app.complaints.find((line) => line.includes(origin.split("/")[1] ?? "-")) ?? null,
  );
  expect(refused).toContain("run memledger audit verify --checkpoint FILE");
  expect(await witness.last(origin)).toBe(seen);
  const kept = join(createFolder(), "kept.note");
  writeFileSync(kept, seen ?? "");
  await app.restart(async () => {
    const policy = `witness strict ${witness.key.text}\nquorum strict\n`;
    const found = await verify(dataDir, publicKey, policy, [kept]);
    expect(found.verdict).toBe("contradicted");
    expect(readFileSync(join(dataDir, "audit.pub"), "utf8")).toContain(text);
  });
});
