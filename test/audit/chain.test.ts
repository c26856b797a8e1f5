// Tests the seal: known bytes give known hashes for ever, and the database keeps what was sealed.

import { afterAll, describe, expect, test } from "bun:test";
import { type ChainHead, hashRecord } from "../../src/audit/chain.ts";
import type { EncodedPayload } from "../../src/audit/parts/parts.ts";
import { encodePayload } from "../../src/audit/parts/payload.ts";
import type { RecordDraft } from "../../src/audit/record.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import { openSeam, runtime, unitVector } from "../calls/storage/seam.ts";
import { checkChains } from "./chain-check.ts";

const head: ChainHead = {
  chain: "019a2b3c4d5e7f708192a3b4c5d6e7f8",
  seq: 41,
  hash: "ab".repeat(32),
  at: 1_795_000_000_123,
};
const payload = {
  user_agent: 'Zoë \u2028 "quoted" \\ \u000f 😀',
  request_body: { b: [1e21, 1e-7, -0, 100, 0.1], a: null, "\ufb33": 1, "😀": 2, "": 3, "10": 4, "9": 5 },
};
const draft: RecordDraft = {
  project: "019a2b3c4d5e7f708192a3b4c5d6e000",
  now: 1_795_000_000_456,
  action: "memory.create",
  status: 201,
  code: 1000,
  keyId: "019a2b3c4d5e7f708192a3b4c5d6e001",
  memoryId: null,
  numbers: { duration: 1.25, credits_consumed: 0, balance_consumed_usd: 1e-7, is_cache_hit: false },
  payload: encodePayload(payload),
};

/** Format 2 is frozen: these texts were computed once and never change. */
describe("golden record", () => {
  const sealed = hashRecord(head, draft, (ms) => `id-at-${ms}`);

  test("the entry is RFC 8785 JSON with exactly these fields", () => {
    expect(draft.payload.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(sealed.entry.replace(draft.payload.hash, "")).toBe(
      '{"action":"memory.create","at":"2026-11-18T11:06:40.456Z","chain":"019a2b3c4d5e7f708192a3b4c5d6e7f8","code":1000,"id":"id-at-1795000000456","key":"019a2b3c4d5e7f708192a3b4c5d6e001","memory":null,"numbers":{"balance_consumed_usd":1e-7,"credits_consumed":0,"duration":1.25,"is_cache_hit":false},"parts":3,"payload_hash":"","prev":"abababababababababababababababababababababababababababababababab","project":"019a2b3c4d5e7f708192a3b4c5d6e000","seq":42,"status":201,"v":2}',
    );
    expect(sealed.seq).toBe(42);
  });

  test("the hash is that of the format", () => {
    const sha256 = new Bun.CryptoHasher("sha256").update("memledger/entry/v2\0").update(sealed.entry);
    expect(sealed.hash).toBe(sha256.digest("hex"));
  });

  test("the database keeps the parts as lines of one zstd frame: keys by UTF-16 code units, numbers as ECMAScript writes them", () => {
    expect(contentOf(draft.payload)).toBe(
      `{"about":[],"at":[""]}\t{"request_body":null,"sender":null}
{"about":[],"at":["/request_body"]}\t{"":3,"10":4,"9":5,"a":null,"b":[1e+21,1e-7,0,100,0.1],"😀":2,"\ufb33":1}
{"about":[],"at":["/sender"]}\t{"user_agent":"Zoë \u2028 \\"quoted\\" \\\\ \\u000f 😀"}
`,
    );
    expect(draft.payload.salt).toHaveLength(3 * 16);
  });

  test("equal payloads have different salts, so that two records do not show that they are equal", () => {
    const again = encodePayload(payload);
    const other = hashRecord(head, { ...draft, payload: again }, (ms) => `id-at-${ms}`);
    expect(contentOf(again)).toBe(contentOf(draft.payload));
    expect(other.hash).not.toBe(sealed.hash);
  });

  test("time never runs backwards along a chain", () => {
    expect(hashRecord(head, { ...draft, now: 5 }, (ms) => `id-at-${ms}`)).toMatchObject({
      at: head.at,
      id: `id-at-${head.at}`,
    });
  });

  test("what JSON cannot express is never sealed", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800"]) {
      expect(() => encodePayload({ bad })).toThrow();
    }
  });
});

const contentOf = ({ compressed }: EncodedPayload) =>
  Bun.zstdDecompressSync(new Uint8Array(compressed)).toString();

describe("the database keeps what was sealed", async () => {
  const seam = await openSeam();
  afterAll(() => seam.close());
  const project = await seam.project();
  for (let seed = 0; seed < 5; seed++) await project.create({ content: `${seed}`, vector: unitVector(seed) });
  const recordsByChain = () => [...checkChains(seam.path).values()].toSorted();

  describe("the check itself notices", () => {
    test.each([
      ["a changed entry", "UPDATE audit_entry SET entry = replace(entry, '201', '200') WHERE seq = 3"],
      [
        "a changed hash",
        "UPDATE audit_entry SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 2",
      ],
      ["a changed column", "UPDATE audit_entry SET action = 'memory.read' WHERE seq = 3"],
      ["a changed salt", "UPDATE audit_payload SET salt = zeroblob(16)"],
      ["a missing entry", "DELETE FROM audit_payload; DELETE FROM audit_entry WHERE seq = 2"],
      ["another beginning", "UPDATE audit_chain SET hash = replace(hash, substr(hash, 1, 1), 'x')"],
    ])("%s", (_, change) => {
      const copy = `${seam.path}.${crypto.randomUUID()}`;
      const original = openDatabase(seam.path, runtime);
      original.exec(`VACUUM INTO '${copy}'`);
      original.close();
      expect([...checkChains(copy).values()].toSorted()).toEqual([2, 5]);
      const forged = openDatabase(copy, runtime);
      forged.exec("DROP TRIGGER audit_entry_is_final; DROP TRIGGER audit_entry_stays");
      forged.exec(change);
      forged.close();
      expect(() => checkChains(copy)).toThrow();
    });
  });

  /** Inserts a copy of an entry of the project's chain with some columns changed. */
  const insertLike =
    (seq: number, changes: Record<string, unknown>, how: string) =>
    (database: Database): void => {
      const row = entryAt(database, seq);
      const changed = { ...row, ...changes };
      const names = Object.keys(changed);
      const values = names.map((name) => `:${name}`).join(", ");
      database
        .prepare(how.replace("...", `audit_entry (${names.join(", ")}) VALUES (${values})`))
        .run(changed);
    };
  const entryAt = (database: Database, seq: number): Record<string, unknown> => {
    const row = database
      .prepare<[number], Record<string, unknown>>(
        "SELECT * FROM audit_entry WHERE seq = ? AND chain = (SELECT number FROM audit_chain WHERE project IS NOT NULL)",
      )
      .get(seq);
    if (row === undefined) throw new Error(`there is no entry ${seq}`);
    return row;
  };
  const fresh = { number: 1_000_000, id: "f".repeat(32) };

  test.each<[string, (database: Database) => void]>([
    ["an update", (database) => database.exec("UPDATE audit_entry SET status = 200 WHERE seq = 2")],
    ["an update of nothing", (database) => database.exec("UPDATE audit_entry SET status = status")],
    ["a deletion", (database) => database.exec("DELETE FROM audit_entry WHERE seq = 2")],
    ["a deletion of the newest", (database) => database.exec("DELETE FROM audit_entry WHERE seq = 5")],
    ["a replacement in its place", insertLike(2, {}, "INSERT OR REPLACE INTO ...")],
    ["a replacement of the newest", insertLike(5, fresh, "INSERT OR REPLACE INTO ...")],
    [
      "a replacement by number",
      (database) =>
        insertLike(
          5,
          { seq: 6, id: fresh.id, number: entryAt(database, 2).number },
          "REPLACE INTO ...",
        )(database),
    ],
    [
      "a replacement by id",
      (database) =>
        insertLike(
          5,
          { seq: 6, number: fresh.number, id: entryAt(database, 2).id },
          "REPLACE INTO ...",
        )(database),
    ],
    ["an upsert", insertLike(2, {}, "INSERT INTO ... ON CONFLICT DO UPDATE SET status = 1")],
    ["a gap", insertLike(5, { ...fresh, seq: 7 }, "INSERT INTO ...")],
    ["an entry before the first", insertLike(5, { ...fresh, seq: 0 }, "INSERT INTO ...")],
  ])("%s is refused", (_, attack) => {
    const database = openDatabase(seam.path, runtime);
    try {
      expect(() => attack(database)).toThrow(/append-only|must follow/);
    } finally {
      database.close();
    }
    expect(recordsByChain()).toEqual([2, 5]);
  });

  test("the entry that follows is accepted, so the refusals above are not about something else", () => {
    const database = openDatabase(seam.path, runtime);
    database.exec("BEGIN");
    insertLike(5, { ...fresh, seq: 6 }, "INSERT INTO ...")(database);
    expect(entryAt(database, 6).id).toBe(fresh.id);
    database.exec("ROLLBACK");
    database.close();
  });
});
