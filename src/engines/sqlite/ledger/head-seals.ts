// Owns the seals of heads: for each chain, the head that the last transaction of a server has made, with a code that only a holder of the
// signing key can make. It is written in the transaction of the records, so it also matches after a crash. Records that another program
// has appended have no seal. Must never seal what the caller does not know.

import type { Signer } from "../../../audit/signed-note.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

/** Number and id of a chain, and its newest record. */
export interface NamedHead {
  readonly number: number;
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

const prefix = "head/";

/** @returns a function that stores the seal of a head, inside the transaction that makes it. */
export function createHeadSealer(database: Database, signer: Signer): (head: NamedHead) => void {
  const store = database.prepare("INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)");
  return (head) =>
    void store.run(`${prefix}${head.number}`, `${head.seq} ${head.hash} ${signer.seal(sealedText(head))}`);
}

/** @returns a function that reads what the newest seal of a chain says; null: there is none of this key */
export function createSealReader(
  database: Database,
  signer: Signer,
): (chain: Pick<NamedHead, "number" | "chain">) => Pick<NamedHead, "seq" | "hash"> | null {
  const find = database.prepare<[string], string>("SELECT value FROM installation WHERE name = ?").pluck();
  return ({ number, chain }) => {
    const [seq = "", hash = "", code] = (find.get(`${prefix}${number}`) ?? "").split(" ");
    const text = sealedText({ number, chain, seq: Number(seq), hash });
    return signer.seal(text) === code ? { seq: Number(seq), hash } : null;
  };
}

function sealedText({ chain, seq, hash }: NamedHead): string {
  return `memledger-head/${chain}\n${seq}\n${hash}\n`;
}
