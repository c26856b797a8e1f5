// Proves that nothing can be changed unnoticed: any byte of any ledger column, any order of records, any byte of an export or of its
// manifest. What is random here is the place and the change; the verdict and the position must follow from them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type ChainReport, type Report, UnusableInput } from "../../src/audit/verify/verdict.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { writeExport } from "./exported.ts";
import { type Base, buildBase } from "./forge.ts";
import { tamper } from "./tamper.ts";

// A machine that does other things, too, may take a while for many small databases.

const folder = mkdtempSync(join(tmpdir(), "memledger-property-"));
let base: Base;
let master: string;
let victim: string;

beforeAll(() => {
  base = buildBase(join(folder, "honest"));
  victim = base.ledger.database;
  master = join(folder, "master.db");
  copyFileSync(victim, master);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the database after a lie; null: unusable. */
async function verifyAfter(lie: (database: Database) => void): Promise<Report | null> {
  copyFileSync(master, victim);
  tamper(victim, (database) => {
    database.pragma("synchronous = OFF");
    database.transaction(lie)(database);
  });
  return verify(victim);
}

async function verify(path: string): Promise<Report | null> {
  try {
    const options = { checkpoints: [base.outside], publicKey: base.publicKey, project: null };
    return (await verifyPath(path, options)).finding;
  } catch (error) {
    if (error instanceof UnusableInput) return null;
    throw error;
  }
}

const chainOf = (report: Report | null, number: number): ChainReport | undefined =>
  report?.chains.find(({ chain }) => chain === base.ledger.chains[number - 1]?.chain);

/** Columns of the ledger, and where a change of each must be found in a row of audit_entry. */
const entryColumns = [
  "chain",
  "seq",
  "id",
  "at",
  "action",
  "status",
  "key",
  "memory",
  "entry",
  "hash",
] as const;
const place = fc.record({
  chain: fc.constantFrom(2, 3),
  // Not 20: that record accounts for the removal of others, which would be found before it.
  seq: fc.integer({ min: 14, max: 24 }).filter((seq) => seq !== 20),
  at: fc.nat(),
  by: fc.integer({ min: 1, max: 255 }),
});

/** Another value of the same kind: one byte of a text or blob changed, or a number by a little. */
function change(value: unknown, at: number, by: number): unknown {
  if (typeof value === "number") return value + by;
  if (value === null) return "x";
  const letter = 0x61 + (by % 26);
  const bytes = Buffer.from(value instanceof Uint8Array ? value : String(value));
  const index = at % bytes.length;
  const byte = bytes[index] ?? 0;
  // Texts stay valid UTF-8, so that SQLite hands out what was written.
  if (value instanceof Uint8Array) bytes[index] = byte ^ by;
  else bytes[index] = byte === letter ? letter + 1 : letter;
  return value instanceof Uint8Array ? bytes : bytes.toString();
}

const runs = { numRuns: 50 };

describe("a changed byte in the database", () => {
  test.each(entryColumns)("of audit_entry.%s", async (column) => {
    await fc.assert(
      fc.asyncProperty(place, async ({ chain, seq, at, by }) => {
        const report = await verifyAfter((database) => {
          const value = database
            .prepare(`SELECT ${column} FROM audit_entry WHERE chain = ? AND seq = ?`)
            .pluck()
            .get(chain, seq);
          const other = change(value, at, by);
          database.exec("DROP INDEX audit_entry_by_seq");
          database
            .prepare(`UPDATE audit_entry SET ${column} = ? WHERE chain = ? AND seq = ?`)
            .run(other, chain, seq);
        });
        expect(report?.verdict).toBe("broken");
        expect(chainOf(report, chain)?.failure?.seq).toBe(seq);
      }),
      { numRuns: 25 },
    );
  });

  test("of audit_entry.number", async () => {
    await fc.assert(
      fc.asyncProperty(place, async ({ chain, seq, by }) => {
        const report = await verifyAfter((database) =>
          database
            .prepare("UPDATE audit_entry SET number = ? WHERE chain = ? AND seq = ?")
            .run(1000 + by, chain, seq),
        );
        expect(report?.verdict).toBe("broken");
        expect(chainOf(report, chain)?.failure?.seq).toBe(seq);
      }),
      { numRuns: 25 },
    );
  });

  test.each(["entry", "salt", "text"])("of audit_payload.%s", async (column) => {
    await fc.assert(
      fc.asyncProperty(place, async ({ chain, seq, at, by }) => {
        const which = "entry = (SELECT number FROM audit_entry WHERE chain = ? AND seq = ?)";
        let isSame = false;
        const report = await verifyAfter((database) => {
          const value = database
            .prepare(`SELECT ${column} FROM audit_payload WHERE ${which}`)
            .pluck()
            .get(chain, seq);
          const other = column === "entry" ? Number(value) + 1000 : change(value, at, by);
          isSame = column === "text" && unpacksTo(other, value);
          database.prepare(`UPDATE audit_payload SET ${column} = ? WHERE ${which}`).run(other, chain, seq);
        });
        // A frame may be written in several ways; what counts is the text that it holds.
        expect(report?.verdict).toBe(isSame ? "intact" : "broken");
        if (!isSame) expect(chainOf(report, chain)?.failure).toMatchObject({ seq, check: "payload" });
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["audit_chain", ["number", "id", "project", "genesis", "hash"]],
    ["audit_checkpoint", ["chain", "size", "at", "note"]],
    ["audit_anchor", ["chain", "through", "note"]],
  ] as const)("of %s", async (table, columns) => {
    const row = fc.record({
      column: fc.constantFrom(...columns),
      row: fc.nat(),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(row, async ({ column, row: nth, at, by }) => {
        const report = await verifyAfter((database) => {
          const key =
            table === "audit_chain" ? ["number"] : ["chain", table === "audit_anchor" ? "through" : "size"];
          const rows = database.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
          const found = rows[nth % rows.length] ?? {};
          const where = key.map((name) => `${name} = ?`).join(" AND ");
          const other =
            column === "project" && found.project === null
              ? 99
              : change(found[column], at, column === "at" ? by : by * 1000);
          database
            .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`)
            .run(other, ...key.map((name) => found[name]));
        });
        expect(report?.verdict).toBe("broken");
      }),
      runs,
    );
  });
});

describe("records", () => {
  const two = fc.uniqueArray(fc.integer({ min: 21, max: 24 }), { minLength: 2, maxLength: 2 });

  test("swapped", async () => {
    await fc.assert(
      fc.asyncProperty(two, fc.constantFrom(2, 3), async ([one = 0, other = 0], chain) => {
        const report = await verifyAfter((database) => {
          const move = database.prepare("UPDATE audit_entry SET seq = ? WHERE chain = ? AND seq = ?");
          move.run(-1, chain, one);
          move.run(one, chain, other);
          move.run(other, chain, -1);
        });
        expect(chainOf(report, chain)?.failure?.seq).toBe(Math.min(one, other));
      }),
      { numRuns: 25 },
    );
  });

  test("deleted, with or without their payloads", async () => {
    await fc.assert(
      fc.asyncProperty(two, fc.boolean(), fc.constantFrom(2, 3), async (seqs, withPayload, chain) => {
        const report = await verifyAfter((database) => {
          for (const seq of seqs) {
            const number = database
              .prepare("SELECT number FROM audit_entry WHERE chain = ? AND seq = ?")
              .pluck()
              .get(chain, seq);
            if (withPayload) database.prepare("DELETE FROM audit_payload WHERE entry = ?").run(number);
            database.prepare("DELETE FROM audit_entry WHERE number = ?").run(number);
          }
        });
        expect(report?.verdict).toBe("broken");
        expect(chainOf(report, chain)?.failure?.seq).toBe(Math.min(...seqs));
      }),
      { numRuns: 25 },
    );
  });

  test("cut off at the end, whatever is cut off with them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 10, max: 39 }), fc.boolean(), async (size, withCheckpoints) => {
        const report = await verifyAfter((database) => {
          const newer = "chain = 2 AND seq > ?";
          database
            .prepare(
              `DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE ${newer})`,
            )
            .run(size);
          database.prepare(`DELETE FROM audit_entry WHERE ${newer}`).run(size);
          if (withCheckpoints)
            database.prepare("DELETE FROM audit_checkpoint WHERE chain = 2 AND size > ?").run(size);
        });
        // Cut before the record that says what was erased, its absence is what is found first.
        expect(report?.verdict).toBe(size < 30 ? "broken" : "contradicted");
        expect(chainOf(report, 2)?.contradiction).toMatchObject({ kind: "truncated" });
      }),
      { numRuns: 25 },
    );
  });
});

describe.each(["json", "csv"] as const)("a changed byte in an export in %s", (format) => {
  const [first, last] = [11, 44];
  let path: string;
  let file: Buffer;
  let manifest: Buffer;

  beforeAll(() => {
    const [, chain] = base.ledger.chains;
    if (chain === undefined) throw new Error("no such chain");
    path = writeExport(base.ledger, chain, { format, first, last, name: `property.${format}` });
    file = readFileSync(path);
    manifest = readFileSync(`${path}.manifest`);
  });

  const edit = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  const changed = (bytes: Buffer, at: number, by: number) => {
    const copy = Buffer.from(bytes);
    copy[at % bytes.length] = (copy[at % bytes.length] ?? 0) ^ by;
    return copy;
  };

  test("of the file", async () => {
    await fc.assert(
      fc.asyncProperty(edit, async ({ at, by }) => {
        writeFileSync(path, changed(file, at, by));
        const report = await verify(path);
        expect(report?.verdict).toBe("broken");
        const seq = report?.failure?.seq ?? null;
        // A column that no rule covers, the header or the frame is found by the manifest, which knows no position.
        const changedSeq = Math.max(first, first - 1 + linesBefore(file, at % file.length));
        // The first row says which columns there are: when one of its names is changed, the second row differs.
        const allowed = changedSeq === first ? [first, first + 1] : [changedSeq];
        if (seq !== null && format === "json") expect(allowed).toContain(seq);
      }),
      runs,
    );
    writeFileSync(path, file);
  });

  test("of the manifest", async () => {
    await fc.assert(
      fc.asyncProperty(edit, async ({ at, by }) => {
        writeFileSync(`${path}.manifest`, changed(manifest, at, by));
        expect((await verify(path))?.failure).toMatchObject({ seq: null, check: "manifest" });
      }),
      runs,
    );
    writeFileSync(`${path}.manifest`, manifest);
  });

  test("cut anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (length) => {
        writeFileSync(path, file.subarray(0, length % file.length));
        expect((await verify(path))?.verdict).toBe("broken");
      }),
      runs,
    );
    writeFileSync(path, file);
    expect((await verify(path))?.verdict).toBe("intact");
  });
});

function linesBefore(file: Buffer, at: number): number {
  return file.subarray(0, at).filter((byte) => byte === 0x0a).length;
}

function unpacksTo(frame: unknown, original: unknown): boolean {
  if (!(frame instanceof Uint8Array) || !(original instanceof Uint8Array)) return false;
  try {
    return Buffer.from(Bun.zstdDecompressSync(frame)).equals(Bun.zstdDecompressSync(original));
  } catch {
    return false;
  }
}
