// Owns the seals of heads: for each chain, the head that the last transaction of a server has made, with a code that only a holder of the
// signing key can make. It is written in the transaction of the records, so it also matches after a crash. Records that another program
// has appended have no seal. Must never seal what the caller does not know.

import { checkpointText, parseCheckpoint } from "../../../audit/checkpoint.ts";
import { openNote, type Signer } from "../../../audit/signed-note.ts";
import type { Database } from "../../../native/sqlite.ts";

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

/**
 * @param signers of the key in use, and of the one that it replaces at this moment
 * @returns whether a server with one of these keys has made a head: its seal says so, or a checkpoint of exactly this head, because version
 * 0.1 wrote no seals. A chain without records has nothing to forge.
 */
export function createHeadCheck(
  database: Database,
  signers: readonly Signer[],
): (head: NamedHead) => boolean {
  const findSeal = database
    .prepare<[string], string>("SELECT value FROM installation WHERE name = ?")
    .pluck();
  const findNote = database
    .prepare<[number, number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? AND size = ?")
    .pluck();
  const readSeal = ({ number, chain }: NamedHead) => {
    const [seq = "", hash = "", code] = (findSeal.get(`${prefix}${number}`) ?? "").split(" ");
    const text = sealedText({ number, chain, seq: Number(seq), hash });
    return signers.some((signer) => signer.seal(text) === code) ? { seq: Number(seq), hash } : null;
  };
  const isSigned = ({ number, chain, seq, hash }: NamedHead): boolean => {
    const note = findNote.get(number, seq);
    const texts = signers.map(({ verifierKey }) => (note === undefined ? null : openNote(note, verifierKey)));
    const checkpoint = parseCheckpoint(texts.find((text) => text !== null) ?? "");
    return (
      checkpoint !== null &&
      checkpointText({ chain, size: seq, hash, at: checkpoint.at }) === checkpointText(checkpoint)
    );
  };
  return (head) => {
    const seal = readSeal(head);
    if (seal?.seq === head.seq && seal.hash === head.hash) return true;
    // A former version has written records after the seal. Fewer records than the seal states were removed.
    const isBehind = seal === null || seal.seq < head.seq;
    return isBehind && (head.seq === 0 || isSigned(head));
  };
}

function sealedText({ chain, seq, hash }: NamedHead): string {
  return `memledger-head/${chain}\n${seq}\n${hash}\n`;
}
