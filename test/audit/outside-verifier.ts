// Verifies signed notes (C2SP signed-note, tlog-checkpoint) and the proofs of RFC 6962 as an outsider would, by the definitions of sections
// 2.1.1 and 2.1.2. Must never share code with what it is compared with.

import { createPublicKey, verify } from "node:crypto";
import { sha256, splitOf } from "./naive-tree.ts";

const hashOf = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 && bytes.toString("base64") === text ? bytes : null;
};
const node = (left: Uint8Array, right: Uint8Array) => sha256(Uint8Array.of(1), left, right);

export interface OutsideCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
}

/** Null: the key has not signed it, or it is not a checkpoint. @param key `name+id+base64` */
export function openCheckpoint(note: string, key: string): OutsideCheckpoint | null {
  const [name = "", id = "", encoded = ""] = key.split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
  const typed = Buffer.from(encoded, "base64");
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const [line = "", ...others] = note.slice(end + 2).split("\n");
  const signature = Buffer.from(line.split(" ")[2] ?? "", "base64");
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), typed.subarray(1)]);
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
  const named = Buffer.from(sha256(Buffer.from(`${name}\n`), typed)).toString("hex");
  const isSigned =
    named.startsWith(id) &&
    line === `— ${name} ${signature.toString("base64")}` &&
    signature.subarray(0, 4).toString("hex") === id &&
    verify(null, Buffer.from(text), publicKey, signature.subarray(4));
  const [origin = "", size = "", root = "", ...extension] = text.split("\n");
  const isCheckpoint = /^[1-9]\d*$/.test(size) && hashOf(root) !== null && extension.join() === "";
  return isSigned && isCheckpoint && others.join() === "" ? { origin, size: Number(size), root } : null;
}

interface Leaf {
  /** Base64, from the leaf up. */
  readonly path: readonly string[];
  readonly index: number;
  readonly leaf: Uint8Array;
}

/** Whether the path of section 2.1.1 leads from a leaf hash to the root. */
export function leadsTo({ path, index, leaf }: Leaf, size: number, root: string): boolean {
  const beside = path.map(hashOf);
  const climb = (at: number, count: number): Uint8Array | null => {
    if (count === 1) return leaf;
    const [last, middle] = [beside.pop(), splitOf(count)];
    const below = at < middle ? climb(at, middle) : climb(at - middle, count - middle);
    if (last === null || last === undefined || below === null) return null;
    return at < middle ? node(below, last) : node(last, below);
  };
  const reached = index >= 0 && index < size ? climb(index, size) : null;
  return reached !== null && beside.length === 0 && Buffer.from(reached).toString("base64") === root;
}

type Tree = Pick<OutsideCheckpoint, "size" | "root">;

/** Whether the proof of section 2.1.2 shows that a tree continues an earlier one. */
export function continues(former: Tree, later: Tree, proof: readonly string[]): boolean {
  const given = proof.map(hashOf);
  /** The roots of the first `part` leaves and of all `count` leaves. */
  const climb = (part: number, count: number, isWhole: boolean): [Uint8Array, Uint8Array] | null => {
    if (part === count) {
      const hash = isWhole ? hashOf(former.root) : given.pop();
      return hash === null || hash === undefined ? null : [hash, hash];
    }
    const [last, middle] = [given.pop(), splitOf(count)];
    const below = part <= middle ? climb(part, middle, isWhole) : climb(part - middle, count - middle, false);
    if (last === null || last === undefined || below === null) return null;
    const [before, now] = below;
    return part <= middle ? [before, node(now, last)] : [node(last, before), node(last, now)];
  };
  if (former.size < 1 || former.size > later.size) return false;
  const reached = climb(former.size, later.size, true);
  const [before, now] = (reached ?? []).map((hash) => Buffer.from(hash).toString("base64"));
  return given.length === 0 && before === former.root && now === later.root;
}
