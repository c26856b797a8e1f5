// What people are shown of witnesses: over the local socket, by `memledger doctor`, and in the state of the overview.

import { afterEach, expect, test } from "bun:test";
import { askConfirmations } from "../../../src/assistants/local-access/ask-confirmations.ts";
import { confirmationChecks } from "../../../src/cli/doctor/confirmations.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { ledgerKeyOf } from "../witness/running-witness.ts";
import {
  cleanUp,
  cosigned,
  create,
  createFolder,
  createLedgerKey,
  sign,
  startWith,
  startWitnessOf,
  until,
  witnessAll,
  writeKey,
} from "./witnessed.ts";

afterEach(cleanUp);

const asked = (app: TestApp) => askConfirmations(locate(app.config.dataDir).socket);
/** Each finding of the doctor; of a failed check its message. */
const findings = async (app: TestApp) =>
  (await confirmationChecks(app.config, locate(app.config.dataDir))).map(({ check, find }) => {
    try {
      return { check, ok: true, message: find() };
    } catch (error) {
      return { check, ok: false, message: error instanceof Error ? error.message : String(error) };
    }
  });

test("a witness that confirms is named with size and time, one that ends with what failed, and both after a restart", async () => {
  const { file, text } = createLedgerKey();
  const key = ledgerKeyOf(writeKey(text));
  const folder = createFolder();
  const [one, two] = [await startWitnessOf(key, "one"), await startWitnessOf(key, "two", folder)];
  const app = await startWith([one.setting, two.setting], { "audit-key": file });
  await create(app);
  await sign(app);
  await cosigned(app, [one.key, two.key]);
  await witnessAll(app, [one, two]);
  await until(app, async () => ((await asked(app))?.every(({ waiting }) => waiting === 0) ? true : null));
  const confirmed = await asked(app);
  expect(confirmed).toMatchObject(
    ["one", "two"].map((name) => ({
      kind: "cosignature",
      name,
      waiting: 0,
      waiting_since: null,
      failure: null,
    })),
  );
  for (const { confirmed_at, confirmed_records } of confirmed ?? []) {
    expect(Date.parse(String(confirmed_at))).toBeGreaterThan(0);
    expect(confirmed_records).toBeGreaterThan(0);
  }
  for (const { ok, message } of await findings(app)) {
    expect(ok).toBe(true);
    expect(message).toMatch(/^last confirmed \d+ records? at .*; no checkpoint waits$/);
  }
  await two.stop();
  await create(app);
  await sign(app);
  const late = await until(app, async () => {
    const [first, second] = await findings(app);
    return first?.message.includes("no checkpoint waits") && second?.ok === false ? second : null;
  });
  expect(late.check).toBe("witness two");
  expect(late.message).toMatch(
    /^The newest checkpoint of 1 chain waits since \S+Z\. The cause: http:.+ cannot be reached: [^.]+\. Check that it runs, and the network\. It is tried again; last confirmed/,
  );
  await app.restart();
  const again = await until(app, async () => {
    const found = await asked(app);
    return found?.some(({ failure }) => failure !== null) ? found : null;
  });
  expect(again.map(({ confirmed_at }) => confirmed_at === null)).toEqual([false, false]);
  app.complaints.length = 0;
});

test("a ledger without witnesses is told so, and one whose server does not run that only a running server knows", async () => {
  const app = await startTestApp();
  expect(await findings(app)).toEqual([
    {
      check: "confirmations",
      ok: true,
      message:
        "nobody outside signs this ledger's checkpoints. The settings witness and timestamp-url name who does",
    },
  ]);
  const { socket } = locate(app.config.dataDir);
  await app.stop();
  const [{ find } = { find: () => "" }] = await confirmationChecks(
    { witness: ["https://witness.example/ key"], timestampUrl: null, keep: [] },
    { socket },
  );
  expect(find()).toStartWith("1 configured.");
});
