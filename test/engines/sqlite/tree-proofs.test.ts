// Proves the proofs that calls ask for: for any history of a chain, every record that is kept, and any two sizes of its tree, a verifier that
// shares no code with them accepts each proof, and none of which a bit was flipped.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { createTreeProofs } from "../../../src/engines/sqlite/export/tree-proofs.ts";
import { naiveRoot, sha256 } from "../../audit/naive-tree.ts";
import { continues, leadsTo, openCheckpoint } from "../../audit/outside-verifier.ts";
import { makeChain, signingOf } from "./made-chain.ts";

const signer = createSigner(createSigningKey());

/** Records are appended, perhaps a checkpoint is signed, perhaps the first records are removed. */
const histories = fc.array(
  fc.record({
    appended: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 300 })),
    isSigned: fc.boolean(),
    removed: fc.option(fc.nat()),
  }),
  { minLength: 1, maxLength: 6 },
);

type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;

function live(history: History, through: number) {
  const made = makeChain({ records: 1, first: through + 1, through });
  const signing = signingOf(made.database, signer);
  const signed = new Set([1]);
  let [seq, first] = [through + 1, through + 1];
  const sign = () => {
    signing.sign({ number: 1, chain: "c".repeat(32), seq, hash: made.hashAt(seq) }, seq);
    signed.add(seq - through + 1);
  };
  for (const { appended, isSigned, removed } of history) {
    seq += appended;
    made.append(seq);
    if (isSigned) sign();
    if (removed === null) continue;
    // The newest record is never removed.
    const last = first - 1 + (removed % (seq - first + 1));
    if (last < first) continue;
    made.trees.cut(1, last - through + 1, [...signed]);
    made.remove(last);
    first = last + 1;
  }
  return { ...made, proofs: createTreeProofs(made.database), sign, signed, seq, first, through };
}

function flipped(text: string, bit: number): string {
  const bytes = Buffer.from(text, "base64");
  bytes[(bit >> 3) % bytes.length] = (bytes[(bit >> 3) % bytes.length] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString("base64");
}

const flippedIn = (path: readonly string[], bit: number) => {
  const place = bit % Math.max(1, path.length);
  return path.map((hash, index) => (index === place ? flipped(hash, bit) : hash));
};

test("any kept record and any two sizes of any history are proved, and nothing else is", () => {
  let cases = 0;
  fc.assert(
    fc.property(
      histories,
      fc.constantFrom(0, 3),
      fc.nat(),
      fc.nat(1 << 20),
      (history, through, chosen, bit) => {
        const chain = live(history, through);
        const { proofs, seq, first } = chain;
        const whole = seq - through + 1;
        const roots = new Map<number, string>();
        const treeAt = (size: number) => {
          const root = roots.get(size) ?? Buffer.from(naiveRoot(chain.leaves(size))).toString("base64");
          roots.set(size, root);
          return { size, root };
        };
        if (!chain.signed.has(whole)) {
          expect(proofs.inclusion(null, seq)).toBeNull();
          chain.sign();
        }
        for (const each of new Set([first, seq, first + (chosen % (seq - first + 1))])) {
          const proof = proofs.inclusion(null, each);
          const checkpoint = openCheckpoint(proof?.note ?? "", signer.verifierKey);
          if (proof === null || checkpoint === null) throw new Error(`record ${each} is not proved`);
          const index = checkpoint.size - 1 - (proof.size - each);
          const hash = Buffer.from(chain.hashAt(each), "hex");
          const leaf = { path: proof.inclusion, index, leaf: sha256(Uint8Array.of(0), hash) };
          expect(checkpoint).toMatchObject(treeAt(whole));
          expect(leadsTo(leaf, whole, checkpoint.root)).toBe(true);
          const other = Buffer.from(flipped(Buffer.from(leaf.leaf).toString("base64"), bit), "base64");
          expect(leadsTo({ ...leaf, leaf: other }, whole, checkpoint.root)).toBe(false);
          expect(leadsTo({ ...leaf, index: index - 1 }, whole, checkpoint.root)).toBe(false);
          expect(leadsTo(leaf, whole, flipped(checkpoint.root, bit))).toBe(false);
          expect(leadsTo({ ...leaf, path: flippedIn(leaf.path, bit) }, whole, checkpoint.root)).toBe(false);
          expect(leadsTo({ ...leaf, path: leaf.path.slice(1) }, whole, checkpoint.root)).toBe(false);
          cases += 6;
        }
        const kept = first - through;
        const any = Math.max(1, first === through + 1 ? 1 : kept) + (chosen % (whole - kept + 1));
        const sizes = [...new Set([...chain.signed, any, whole])].sort((one, next) => one - next);
        for (const from of sizes)
          for (const to of sizes.filter((size) => size >= from)) {
            const { path, treeSize } = proofs.consistency(null, from, to);
            expect([path === null, treeSize]).toEqual([false, whole]);
            const [former, later, proof] = [treeAt(from), treeAt(to), path ?? []];
            expect(continues(former, later, proof)).toBe(true);
            expect(continues({ ...former, root: flipped(former.root, bit) }, later, proof)).toBe(false);
            expect(continues(former, { ...later, root: flipped(later.root, bit) }, proof)).toBe(false);
            if (proof.length > 0) expect(continues(former, later, flippedIn(proof, bit))).toBe(false);
            expect(continues(former, later, [...proof, former.root])).toBe(false);
            cases += 5;
          }
        expect(proofs.consistency(null, 1, whole + 1)).toEqual({ treeSize: whole, path: null });
      },
    ),
    { numRuns: 60 },
  );
  expect(cases).toBeGreaterThan(2_000);
});
