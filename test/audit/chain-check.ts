// Checks every chain of a database from its bytes alone, as docs promise that anybody can: shares no code with the ledger, so that
// the two cannot be wrong together.

import { createHash } from "node:crypto";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "../calls/storage/seam.ts";

interface EntryRow {
  readonly chain: string;
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly status: number;
  readonly entry: string;
  readonly hash: string;
  readonly salt: Uint8Array;
  readonly text: Uint8Array;
}

/** @returns the number of records by chain. @throws Error naming the first thing that does not hold. */
export function checkChains(path: string): Map<string, number> {
  // The server's own SQLite library: another one in the same process would drop its locks when it closes the file.
  const database = openDatabase(path, runtime, { readonly: true });
  try {
    const chains = database.prepare<[], { id: string; genesis: string; hash: string }>(
      "SELECT id, genesis, hash FROM audit_chain",
    );
    const entries = database.prepare<[string], EntryRow>(
      `SELECT c.id AS chain, e.seq, e.id, e.at, e.action, e.status, e.entry, e.hash, p.salt, p.text
       FROM audit_entry e JOIN audit_chain c ON c.number = e.chain LEFT JOIN audit_payload p ON p.entry = e.number
       WHERE c.id = ? ORDER BY e.seq`,
    );
    const counts = new Map<string, number>();
    for (const { id, genesis, hash } of chains.all()) {
      const { chain, project, at, nonce } = JSON.parse(genesis);
      const text = `{"at":"${at}","chain":"${chain}","nonce":"${nonce}","project":${project === null ? "null" : `"${project}"`}}`;
      same(sha256("memledger/genesis/v1\0", text), hash, "genesis", id, 0);
      same(chain, id, "chain of the genesis", id, 0);
      let prev = hash;
      let count = 0;
      let lastAt = 0;
      for (const row of entries.iterate(id)) {
        count += 1;
        checkEntry(row, count, prev, lastAt);
        prev = row.hash;
        lastAt = row.at;
      }
      counts.set(id, count);
    }
    return counts;
  } finally {
    database.close();
  }
}

function checkEntry(row: EntryRow, seq: number, prev: string, lastAt: number): void {
  const { chain, entry, hash } = row;
  const said = JSON.parse(entry);
  const at = new Date(row.at).toISOString();
  same(row.seq, seq, "seq", chain, seq);
  same(sha256(`memledger/entry/v${said.v}\0`, entry), hash, "hash", chain, seq);
  same(said.prev, prev, "prev", chain, seq);
  same([said.chain, said.seq].join(), [chain, seq].join(), "position", chain, seq);
  same([said.id, said.at].join(), [row.id, at].join(), "id and time", chain, seq);
  same([said.action, said.status].join(), [row.action, row.status].join(), "columns", chain, seq);
  same(row.at >= lastAt, true, "time", chain, seq);
  same(said.payload_hash, payloadHash(said, row), "payload", chain, seq);
  same(JSON.stringify(sorted(said)), entry, "canonical form", chain, seq);
}

function payloadHash({ v, parts }: { v: number; parts: number }, { salt, text }: EntryRow): string {
  const content = new TextDecoder().decode(Bun.zstdDecompressSync(new Uint8Array(text)));
  if (v === 1) return sha256("memledger/payload/v1\0", salt, content);
  const lines = content.split("\n").slice(0, -1);
  if (lines.length !== parts || salt.length !== parts * 16) return "not that many parts";
  const hashes = lines.map((line, index) => {
    const [header = "", value = ""] = line.split("\t");
    const own = salt.slice(index * 16, index * 16 + 16);
    return bytesOf(sha256("memledger/part/v2\0", bytesOf(sha256("memledger/text/v2\0", own, value)), header));
  });
  return sha256("memledger/payload/v2\0", ...hashes);
}

const bytesOf = (hash: string) => Buffer.from(hash, "hex");

/** Keys in the order of RFC 8785. Entries hold ASCII only, so JSON.stringify writes the rest as it asks. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}

function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function same(found: unknown, expected: unknown, what: string, chain: string, seq: number): void {
  if (found !== expected) {
    throw new Error(`chain ${chain}, record ${seq}: ${what} is ${String(found)}, not ${String(expected)}`);
  }
}
