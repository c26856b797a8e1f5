// What a holder of the signing key writes in a chain of version 2 against the rules of the page, so that all hashes and signatures are correct.
// Must never write a file.

import { rotationText } from "../../src/audit/key-rotation.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { Dice } from "./mutate-version-2.ts";
import { type Draft2, type MadeChain2, signerFrom } from "./version-2.ts";
import { alice, bob, pruneSeq, redactSeq, talk, type Version2Options } from "./version-2-database.ts";

type KeyHolderChange = (dice: Dice) => readonly [kind: string, options: Version2Options, rotations?: string];

const draft = (seq: number, change: (draft: Draft2) => Draft2): Version2Options => ({
  forgery: { draft: (one, at) => (at === seq ? change(one) : one) },
});
const payload = (seq: number, members: JsonObject) =>
  draft(seq, (one) => ({ ...one, payload: { ...one.payload, ...members } }));
const project = (change: (chain: MadeChain2) => void): Version2Options => ({
  before: ([, chain]) => (chain === undefined ? undefined : change(chain)),
});
/** With several parts, the last one has a place in part 0. */
const seqsOfParts = [5, 6, 7, 8, 9];
const [former, successor] = [signerFrom(0), signerFrom(100)];
const rotation = `${former.sign(rotationText({ former: former.verifierKey, successor: successor.verifierKey, at: 0 }))}\n`;

function header(dice: Dice): ReturnType<KeyHolderChange> {
  const [seq, index] = [dice.pick(seqsOfParts), dice.below(2)];
  const change = dice.pick([
    '{"about":[],"at":[]}',
    '{"about":[],"at":["/nothing"]}',
    '{"about":[],"at":["told"]}',
    '{"about":[],"at":["/~2"]}',
    '{"about":[],"at":["/told","/told"]}',
    '{"about":["alice"],"at":["/told"]}',
    `{"about":["${alice}","${alice}"],"at":["/told"]}`,
    '{"about":[],"at":["/told"],"more":1}',
    '{"at":["/told"],"about":[]}',
    '{"about":null,"at":["/told"]}',
    '{"about":[],"at":["","/told"]}',
    '{"about":[],"at":["/request_body/0"]}',
    "[]",
    "null",
  ]);
  return [
    "header",
    {
      forgery: {
        parts: (parts, at) =>
          at === seq ? parts.map((one, part) => (part === index ? { ...one, header: change } : one)) : parts,
      },
    },
  ];
}

function member(dice: Dice): ReturnType<KeyHolderChange> {
  const seq = dice.pick([3, 6, 14, 39]);
  const members = dice.pick<JsonObject>([
    { subject: "alice" },
    { subject: talk },
    { conversation: alice },
    { conversation: null },
    { person: bob },
    { parts: 0 },
    { parts: 10_001 },
    { parts: "2" },
    { more: 1 },
    { more: 1, since: "1" },
    { more: 1, since: "0.9.0" },
    { since: "0.9" },
    { v: 3 },
    { performed: false },
    { payload_hash: "0".repeat(64) },
    { at: "2026-11-21T09:29:00.000Z" },
    { seq: 2 },
  ]);
  return [
    "member of an entry",
    { forgery: { entry: (one, at) => (at === seq ? { ...one, ...members } : one) } },
  ];
}

function statement(dice: Dice): ReturnType<KeyHolderChange> {
  const members = dice.pick<JsonObject>([
    { first: 4 },
    { first: 6 },
    { first: 4711 },
    { first: 0 },
    { through: 1 },
    { through: -1 },
    { hash: "0".repeat(64) },
    { genesis: "0".repeat(64) },
    { chain: alice },
    { more: 1 },
    { more: 1, since: "0.9.0" },
    { since: "soon" },
  ]);
  const change = (text: string) => {
    const changed: JsonObject = { ...JSON.parse(text), ...members };
    return JSON.stringify(
      Object.fromEntries(Object.entries(changed).toSorted(([one], [other]) => (one < other ? -1 : 1))),
    );
  };
  return ["statement", { forgery: { statement: change } }];
}

function redaction(dice: Dice): ReturnType<KeyHolderChange> {
  const [seq, part] = [dice.pick([5, 6, 7, 9]), dice.below(3)];
  const honest = {
    redacted: [3, 11],
    redacted_parts: [
      [8, [1, 4, 5]],
      [10, [0]],
    ],
  };
  const members = dice.pick<JsonObject>([
    { redacted: [...honest.redacted, seq] },
    { redacted_parts: [...honest.redacted_parts, [seq, [part]]] },
    { redacted_parts: [...honest.redacted_parts, [4, [0]]] },
    { redacted: [3] },
    { redacted: "all" },
    { redacted: [3, "11"] },
    {
      redacted_parts: [
        [8, [1, 4]],
        [10, [0]],
      ],
    },
    { redacted_parts: [[8, [1, 4, 5]]] },
    {
      redacted_parts: [
        [8, [1, 4, 5, 6]],
        [10, [0]],
      ],
    },
    { erased: [alice] },
    { erased: [bob, talk] },
  ]);
  return ["redaction", payload(redactSeq, members)];
}

function removal(dice: Dice): ReturnType<KeyHolderChange> {
  const seq = dice.pick([redactSeq, pruneSeq]);
  return dice.pick([
    ["removal about somebody", draft(seq, (one) => ({ ...one, about: [alice] }))],
    ["removal that was refused", draft(seq, (one) => ({ ...one, status: 404 }))],
    ["part 0 of a removal erased", project((chain) => chain.erase(seq, [0]))],
    ["payload of a removal missing", project((chain) => chain.removePayload(seq))],
    ["payload missing", project((chain) => chain.removePayload(dice.pick([5, 6, 7, 9, 20, 39])))],
    ["part erased", project((chain) => chain.erase(dice.pick([5, 6, 7, 9, 20]), [dice.below(2)]))],
    ["prune of less", payload(pruneSeq, { payloads_through: dice.below(2) })],
    ["prune of more", payload(pruneSeq, { payloads_through: 3 + dice.below(5) })],
  ]);
}

function owned(dice: Dice): ReturnType<KeyHolderChange> {
  const source = { memory: alice, record: alice, parts: [0] };
  return dice.pick([
    [
      "names",
      payload(5, {
        names: [{ pseudonym: dice.pick([alice, talk, "x"]), name: dice.pick(["nobody", "", 1]) }],
      }),
    ],
    [
      "made_of",
      payload(7, {
        made_of: dice.pick<JsonObject[string]>([
          [1],
          1,
          {},
          [{ ...source, record: "x" }],
          [{ ...source, parts: [-1] }],
        ]),
      }),
    ],
    ["pseudonym without a row", draft(14, (one) => ({ ...one, subject: "0".repeat(32) }))],
  ]);
}

/** Checkpoints with correct signatures. */
function checkpoint(dice: Dice): ReturnType<KeyHolderChange> {
  const size = dice.pick([10, 20, 30]);
  return dice.pick<ReturnType<KeyHolderChange>>([
    ["signed by both keys", project((chain) => chain.sign2(size, "2", [former, successor])), rotation],
    [
      "root of another size",
      project((chain) => {
        const note = chain.checkpointOf(size + 1);
        const [name = "", count = "", ...rest] = former
          .sign(note.split("\n").slice(0, 3).join("\n"))
          .split("\n");
        chain.notes.set(size, { size, at: 0, note: [name, count, ...rest].join("\n"), leaves: size + 1 });
      }),
    ],
    [
      "another root",
      project((chain) => {
        const [name = "", count = ""] = chain.checkpointOf(size).split("\n");
        const text = `${name}\n${count}\n${Buffer.alloc(32, dice.below(256)).toString("base64")}\n`;
        chain.notes.set(size, { size, at: 0, note: former.sign(text), leaves: size + 1 });
      }),
    ],
    ["version 1 in place of the statement", project((chain) => chain.sign1(0))],
  ]);
}

export const keyHolderChanges: readonly KeyHolderChange[] = [
  header,
  member,
  statement,
  redaction,
  removal,
  owned,
  checkpoint,
];
