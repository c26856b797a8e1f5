// A server and places in which its records are kept: files follow each other and verify, a ledger that was rewritten differs from them, and a place that was
// away gets everything.

import { afterEach, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { signCheckpoints } from "../../../src/calls/operations/ledger/checkpoint-operations.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { cleanUp, create, createFolder, createLedgerKey, startWith, until } from "../attesting/witnessed.ts";
import { commandOf, copyOf, depositsIn, keptIn, metricsOf, rangesIn, signed, verify } from "./kept.ts";

afterEach(cleanUp);

test("records are kept in files that follow each other, and verify alone and with the ledger", async () => {
  const folder = createFolder();
  const app = await startWith([], { keep: folder, "metrics-port": "0" });
  for (let count = 0; count < 3; count++) await create(app);
  await app.administer(signCheckpoints, {});
  await until(app, async () => (new Set(depositsIn(folder).map(dirname)).size === 2 ? true : null));
  const first = await keptIn(app, folder);
  await create(app);
  const { chain, size, ranges } = await keptIn(app, folder);
  expect(ranges).toEqual([...first.ranges, `${first.size + 1}-${size}`]);
  const { dataDir } = app.config;
  const publicKey = join(dataDir, "audit.pub");
  const alone = await verify(folder, publicKey);
  expect([alone.verdict, alone.kind, alone.failure]).toEqual(["unattested", "deposits", null]);
  expect(alone.chains.find((each) => each.chain === chain)).toMatchObject({
    records: size,
    first_seq: 1,
    last_seq: size,
  });
  const metrics = await metricsOf(app);
  let compared = alone;
  await app.restart(async () => {
    compared = await verify(dataDir, publicKey, folder);
  });
  expect([compared.verdict, compared.failure, compared.contradiction]).toEqual(["intact", null, null]);
  expect(compared.chains.find((each) => each.chain === chain)?.attested_through).toBe(size);
  // Its payloads are not kept: texts of memories could not be erased there.
  for (const name of depositsIn(folder))
    expect(readFileSync(join(folder, name), "utf8")).not.toContain("Fact number");
  expect(metrics).toContain(`memledger_attestations_waiting{kind="deposit",party="${folder}"} 0`);
  expect(metrics).toContain(`memledger_deposits_waiting_records{party="${folder}"} 0`);
  expect(app.complaints).toEqual([]);
});

test("a ledger that its operator has put back and continued differs from what was kept, from the first such record on", async () => {
  const folder = createFolder();
  const { file } = createLedgerKey();
  const app = await startWith([], { keep: folder, "audit-key": file });
  const { dataDir } = app.config;
  await create(app);
  let copy = "";
  await app.restart(() => {
    copy = copyOf(dataDir);
  });
  const before = await signed(app);
  for (let count = 0; count < 4; count++) await create(app);
  const { chain } = await keptIn(app, folder);
  const evidence = copyOf(folder);
  await app.restart(() => {
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
  });
  for (let count = 0; count < 20; count++) await create(app);
  await keptIn(app, folder);
  for (const kept of [evidence, folder]) {
    let found = await verify(kept, join(dataDir, "audit.pub"));
    expect(found.verdict).toBe(kept === folder ? "contradicted" : "unattested");
    await app.restart(async () => {
      found = await verify(dataDir, join(dataDir, "audit.pub"), kept);
    });
    expect([found.verdict, found.exit_code]).toEqual(["contradicted", 30]);
    const own = found.chains.find((each) => each.chain === chain);
    expect(own?.contradiction).toMatchObject({ kind: "rewritten" });
    expect(own?.contradiction?.size).toBeGreaterThan(1);
    expect(own?.contradiction?.size).toBeLessThanOrEqual(before.size + 1);
    expect(found.text).toMatch(
      /record \d+, [a-z_.]+ at 2\d{3}-\d\d-\d\dT[\d:.]+Z \([0-9a-f]{32}\), which is in memledger\/.*, was replaced by /,
    );
  }
  // Nothing of what was kept has changed.
  for (const name of depositsIn(evidence))
    expect(readFileSync(join(folder, name), "utf8")).toBe(readFileSync(join(evidence, name), "utf8"));
});

test("a changed, cut or missing file of what was kept is found", async () => {
  const folder = createFolder();
  const app = await startWith([], { keep: folder });
  for (let count = 0; count < 3; count++) await create(app);
  await keptIn(app, folder);
  await create(app);
  await keptIn(app, folder);
  await create(app);
  const { chain, size } = await keptIn(app, folder);
  const publicKey = join(app.config.dataDir, "audit.pub");
  const names = depositsIn(folder).filter((name) => name.includes(chain));
  const last = names.at(-1) ?? "";
  const changing = async (change: (copy: string, path: string) => void) => {
    const copy = copyOf(folder);
    change(copy, join(copy, last));
    return verify(copy, publicKey);
  };
  const changed = await changing((_, path) =>
    writeFileSync(path, readFileSync(path, "utf8").replace('"status":201', '"status":200')),
  );
  expect(["contradicted", "broken"]).toContain(changed.verdict);
  const cut = await changing((_, path) =>
    writeFileSync(path, readFileSync(path, "utf8").trimEnd().split("\n").slice(0, -1).join("\n")),
  );
  expect(cut.failure).toMatchObject({ seq: size, check: "file" });
  const missing = await changing((copy) => rmSync(join(copy, names[1] ?? "")));
  expect(missing.text).toMatch(/Chain [0-9a-f]+: the records from \d+ to \d+ are not there/);
  const renamed = await changing((_, path) =>
    renameSync(path, path.replace(/\d{12}\.jsonl$/, "000000000999.jsonl")),
  );
  expect(renamed.failure?.check).toBe("form");
});

test("a folder that is not there is said once and not created, and gets everything in order when it is back", async () => {
  const folder = join(createFolder(), "mounted");
  mkdirSync(folder);
  const app = await startWith([], { keep: folder, "metrics-port": "0" });
  await create(app);
  const { ranges } = await keptIn(app, folder);
  renameSync(folder, `${folder}-away`);
  for (let round = 0; round < 3; round++) {
    await create(app);
    await signed(app);
    app.passTime(700_000);
    await Bun.sleep(50);
  }
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(existsSync(folder)).toBe(false);
  expect(app.complaints).toHaveLength(1);
  expect(app.complaints[0]).toContain("does not exist, and is not created. Mount its disk");
  expect(await metricsOf(app)).toContain(
    `memledger_attestations_failing{kind="deposit",party="${folder}"} 1`,
  );
  renameSync(`${folder}-away`, folder);
  app.passTime(700_000);
  const back = await keptIn(app, folder);
  expect(back.ranges.slice(0, ranges.length)).toEqual(ranges);
  expect(back.ranges.at(-1)).toBe(`${Number(ranges.at(-1)?.split("-")[1]) + 1}-${back.size}`);
  expect((await verify(folder, join(app.config.dataDir, "audit.pub"))).failure).toBeNull();
});

test("a folder whose disk is not mounted any more is refused", async () => {
  const folder = createFolder();
  const app = await startWith([], { keep: folder });
  await create(app);
  const { ranges, chain } = await keptIn(app, folder);
  await app.restart(() => {
    const database = openDatabase(join(app.config.dataDir, "memledger.db"), runtime);
    const changed = "UPDATE audit_deposit SET answer = json_set(answer, '$.on_other_disk', json('true'))";
    expect(database.prepare(changed).run().changes).toBeGreaterThan(0);
    database.close();
  });
  await create(app);
  await signed(app);
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(app.complaints[0]).toContain(
    "was on another disk when the last records were kept in it. Mount this disk.",
  );
  expect(rangesIn(folder, chain)).toEqual(ranges);
});

test("a command gets each file on its standard input, and again until it has succeeded", async () => {
  const folder = createFolder();
  const app = await startWith([], {
    keep: commandOf(
      `test -e ${folder}/works || { echo "no tape" >&2; exit 1; }
       mkdir -p "${folder}/$(dirname "$MEMLEDGER_FILE")" && cat > "${folder}/$MEMLEDGER_FILE"
       echo "$MEMLEDGER_SHA256 $MEMLEDGER_FILE" >> ${folder}/log; env > ${folder}/env`,
    ),
  });
  await create(app);
  await signed(app);
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(app.complaints[0]).toContain("has ended with the exit status 1 (no tape)");
  writeFileSync(join(folder, "works"), "");
  app.passTime(700_000);
  await create(app);
  const { size, ranges } = await keptIn(app, folder);
  expect(ranges[0]).toMatch(/^1-/);
  expect(ranges.at(-1)).toEndWith(`-${size}`);
  const log = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
  expect(new Set(log).size).toBe(log.length);
  for (const line of log) {
    const [sha256, name = ""] = line.split(" ");
    expect(new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name))).digest("hex")).toBe(
      sha256 ?? "",
    );
  }
  expect(readFileSync(join(folder, "env"), "utf8")).not.toMatch(/^MEMLEDGER_(?!FILE|SHA256)/m);
  expect((await verify(folder, join(app.config.dataDir, "audit.pub"))).failure).toBeNull();
});

test("what was sent is sent again under the same name after an end before the answer was stored", async () => {
  const folder = createFolder();
  const app = await startWith([], { keep: folder });
  const { dataDir } = app.config;
  await create(app);
  const { chain, ranges } = await keptIn(app, folder);
  const spool = join(dataDir, "deposits", readdirSync(join(dataDir, "deposits"))[0] ?? "");
  await app.restart(() => {
    // As it was before the answer was stored.
    const database = openDatabase(join(dataDir, "memledger.db"), runtime);
    database.prepare("DELETE FROM audit_deposit").run();
    database.close();
    for (const name of depositsIn(folder)) cpSync(join(folder, name), join(spool, name));
  });
  await create(app);
  const after = await keptIn(app, folder);
  expect(after.ranges.slice(0, ranges.length)).toEqual(ranges);
  expect(after.ranges.map((range) => range.split("-")[0])).toEqual(
    ["1", ...after.ranges.map((range) => String(Number(range.split("-")[1]) + 1))].slice(0, -1),
  );
  expect(
    (await verify(folder, join(dataDir, "audit.pub"))).chains.find((each) => each.chain === chain)?.failure,
  ).toBeNull();
  expect(app.complaints).toEqual([]);
});
