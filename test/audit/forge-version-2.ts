// Forges databases of version 2 of the record format: each has one lie in it. Some lies are told to the finished file; others by whoever
// holds the signing key, so that hashes and signatures are correct. Must never touch an honest database.

import { rotationText } from "../../src/audit/key-rotation.ts";
import type { Check } from "../../src/audit/verify/verdict.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { type Draft2, type MadeChain2, signerFrom } from "./version-2.ts";
import { alice, bob, pruneSeq, redactSeq, talk, type Version2Options } from "./version-2-database.ts";

export interface Case2 {
  readonly name: string;
  readonly options?: Version2Options;
  readonly lie?: string | ((database: Database) => void);
  /** What `audit.rotations` beside the database has. */
  readonly rotations?: string;
  /** A check that fails, or the kind of contradiction. */
  readonly expected: Check | "truncated" | "rewritten" | "replaced" | "unusable" | "unattested";
  /** Absent: not compared. */
  readonly seq?: number | null;
}

const at = (seq: number, chain = 2) =>
  `(SELECT number FROM audit_entry WHERE chain = ${chain} AND seq = ${seq})`;
const serial = (id: string) => `(SELECT serial FROM pseudonym WHERE id = '${id}')`;

/** Changes the stored lines of a payload. */
const lines = (seq: number, change: (lines: string[]) => string[]) => (database: Database) => {
  const text = database
    .prepare<[], Uint8Array>(`SELECT text FROM audit_payload WHERE entry = ${at(seq)}`)
    .pluck()
    .get();
  const before = new TextDecoder()
    .decode(Bun.zstdDecompressSync(new Uint8Array(text ?? [])))
    .split("\n")
    .slice(0, -1);
  const after = change(before)
    .map((line) => `${line}\n`)
    .join("");
  database
    .prepare(`UPDATE audit_payload SET text = ? WHERE entry = ${at(seq)}`)
    .run(Bun.zstdCompressSync(after));
};
const line = (seq: number, index: number, from: string | RegExp, to: string) =>
  lines(seq, (all) => all.with(index, (all[index] ?? "").replace(from, to)));

/** What a holder of the key writes instead of a record. */
const draft = (seq: number, change: (draft: Draft2) => Draft2): Version2Options => ({
  forgery: { draft: (one, at) => (at === seq ? change(one) : one) },
});
const entry = (seq: number, members: JsonObject): Version2Options => ({
  forgery: { entry: (one, at) => (at === seq ? { ...one, ...members } : one) },
});
const payload = (seq: number, members: JsonObject) =>
  draft(seq, (one) => ({ ...one, payload: { ...one.payload, ...members } }));
const header = (seq: number, part: number, change: string): Version2Options => ({
  forgery: {
    parts: (parts, at) =>
      at === seq ? parts.map((one, index) => (index === part ? { ...one, header: change } : one)) : parts,
  },
});
const project = (change: (chain: MadeChain2) => void): Version2Options => ({
  before: ([, chain]) => (chain === undefined ? undefined : change(chain)),
});

const cut = { records: 700, anchor: 270 };
const [former, successor] = [signerFrom(0), signerFrom(100)];
const rotation = `${former.sign(rotationText({ former: former.verifierKey, successor: successor.verifierKey, at: 0 }))}\n`;

const parts: readonly Case2[] = [
  { name: "text of a part", lie: line(5, 2, "null", "true"), expected: "payload", seq: 5 },
  { name: "header of a part", lie: line(5, 2, alice, talk), expected: "payload", seq: 5 },
  { name: "header of an erased part", lie: line(8, 1, bob, alice), expected: "payload", seq: 8 },
  {
    name: "order of parts",
    lie: lines(5, (all) => all.with(3, all[4] ?? "").with(4, all[3] ?? "")),
    expected: "payload",
    seq: 5,
  },
  { name: "part added", lie: lines(5, (all) => [...all, all[5] ?? ""]), expected: "payload", seq: 5 },
  { name: "part removed", lie: lines(5, (all) => all.slice(0, -1)), expected: "payload", seq: 5 },
  { name: "part moved", lie: line(6, 2, "/request_body", "/response_body"), expected: "payload", seq: 6 },
  {
    name: "salt",
    lie: `UPDATE audit_payload SET salt = zeroblob(length(salt)) WHERE entry = ${at(5)}`,
    expected: "payload",
    seq: 5,
  },
  {
    name: "salt too long",
    lie: `UPDATE audit_payload SET salt = CAST(salt || x'00' AS BLOB) WHERE entry = ${at(5)}`,
    expected: "payload",
    seq: 5,
  },
  { name: "number of parts", options: entry(9, { parts: 4 }), expected: "payload", seq: 9 },
  { name: "withheld line", lie: lines(9, (all) => all.with(1, "{}")), expected: "payload", seq: 9 },
  {
    name: "place that does not exist",
    options: header(9, 1, `{"about":["${alice}"],"at":["/nothing/0"]}`),
    expected: "payload",
    seq: 9,
  },
  {
    name: "place that is not null",
    options: header(7, 1, `{"about":["${alice}"],"at":["/made_of"]}`),
    expected: "payload",
    seq: 7,
  },
  {
    name: "place that occurs twice",
    options: header(9, 2, `{"about":["${alice}"],"at":["/told"]}`),
    expected: "payload",
    seq: 9,
  },
  {
    name: "header that is not a header",
    options: header(9, 1, '{"about":[],"at":["told"]}'),
    expected: "payload",
    seq: 9,
  },
  {
    name: "part 0 that is no object",
    options: {
      forgery: {
        parts: (all, seq) =>
          seq === 9
            ? all.map((one, index) =>
                index === 0
                  ? { ...one, text: "[null,null]" }
                  : { ...one, header: one.header.replace(/"\/\w+"/, `"/${index - 1}"`) },
              )
            : all,
      },
    },
    expected: "payload",
    seq: 9,
  },
  {
    name: "text with places that is not JCS",
    options: {
      forgery: {
        parts: (all, seq) =>
          seq === 9 ? all.map((one, index) => (index === 0 ? { ...one, text: `${one.text} ` } : one)) : all,
      },
    },
    expected: "payload",
    seq: 9,
  },
];

const erasures: readonly Case2[] = [
  {
    name: "erased part without an account",
    options: project((chain) => chain.erase(9, [2])),
    expected: "payload",
    seq: 9,
  },
  {
    name: "missing payload without an account",
    options: project((chain) => chain.removePayload(9)),
    expected: "payload",
    seq: 9,
  },
  {
    name: "redacted_parts does not account for a payload",
    options: project((chain) => chain.removePayload(8)),
    expected: "payload",
    seq: 8,
  },
  {
    name: "account after every checkpoint",
    options: {
      ...payload(300, { more: 1 }),
      before: ([, chain]) => chain?.erase(298, [1]),
      ...draft(300, () => redact({ redacted_parts: [[298, [1]]] })),
    },
    lie: "DELETE FROM audit_checkpoint WHERE chain = 2 AND size = 300",
    expected: "payload",
    seq: 298,
  },
  {
    name: "account before what it accounts for",
    options: {
      ...payload(redactSeq, {
        redacted_parts: [
          [8, [1, 4, 5]],
          [10, [0]],
          [20, [1]],
        ],
      }),
      before: ([, chain]) => chain?.erase(20, [1]),
    },
    expected: "payload",
    seq: 20,
  },
  {
    name: "erased part that is there",
    options: payload(redactSeq, {
      redacted_parts: [
        [8, [1, 4, 5]],
        [9, [1]],
        [10, [0]],
      ],
    }),
    expected: "payload",
    seq: 9,
  },
  {
    name: "erased payload that is there",
    options: payload(redactSeq, { redacted: [3, 9, 11] }),
    expected: "payload",
    seq: 9,
  },
  {
    name: "part 0 of a removal erased",
    options: project((chain) => chain.erase(redactSeq, [0])),
    expected: "payload",
    seq: 3,
  },
  {
    name: "part 0 of the last removal erased",
    options: project((chain) => chain.erase(pruneSeq, [0])),
    expected: "payload",
    seq: 1,
  },
  {
    name: "part 0 of a removal about somebody",
    options: draft(redactSeq, (one) => ({ ...one, about: [bob] })),
    expected: "payload",
    seq: redactSeq,
  },
  {
    name: "removal that names nothing about somebody",
    options: draft(14, () => ({ ...redact({ more: 1 }), about: [alice] })),
    expected: "payload",
    seq: 14,
  },
  {
    name: "payload of a removal that names nothing",
    options: {
      ...draft(14, () => redact({ redacted: [13] })),
      ...draft(13, () => redact({ more: 1 })),
      before: ([, chain]) => chain?.removePayload(13),
    },
    lie: "UPDATE audit_chain SET payloads_through = 0",
    expected: "payload",
    seq: 1,
  },
  {
    name: "payload of a removal that was refused",
    options: {
      forgery: {
        draft: (one, seq) =>
          seq === 14 ? { ...redact({}), status: 404 } : seq === 15 ? redact({ redacted: [14] }) : one,
      },
      before: ([, chain]) => chain?.removePayload(14),
    },
    expected: "unattested",
  },
  {
    name: "erased payload whose parts are there without their texts",
    options: {
      ...payload(redactSeq, { redacted: [3, 10, 11], redacted_parts: [[8, [1, 4, 5]]] }),
    },
    expected: "payload",
    seq: 10,
  },
  {
    name: "erased part that its record never had",
    options: payload(redactSeq, {
      redacted_parts: [
        [8, [1, 4, 5]],
        [10, [0, 1]],
      ],
    }),
    expected: "payload",
    seq: 10,
  },
  {
    name: "erased part of a record of version 1",
    options: payload(redactSeq, {
      redacted_parts: [
        [4, [0]],
        [8, [1, 4, 5]],
        [10, [0]],
      ],
    }),
    expected: "payload",
    seq: 4,
  },
  {
    name: "anchor whose record has its members in another part",
    options: { ...cut, ...draft(699, (one) => ({ ...one, places: [{ at: "/count", about: [] }] })) },
    expected: "anchor",
    seq: 270,
  },
  {
    name: "another part of a removal erased",
    options: {
      ...draft(14, () => redact({ redacted_parts: [[12, [1]]] })),
      before: ([, chain]) => chain?.erase(redactSeq, [1]),
    },
    expected: "unattested",
  },
  {
    name: "part erased with the whole payload",
    options: { ...payload(redactSeq, { redacted: [3] }), before: ([, chain]) => restore(chain, 11) },
    expected: "unattested",
  },
];

function redact(members: JsonObject): Draft2 {
  return { action: "audit.redact", payload: members };
}

/** Puts the payload of a record back, as it was sealed. */
function restore(chain: MadeChain2 | undefined, seq: number): void {
  const record = chain?.records[seq - 1];
  if (record !== undefined) record.payload = record.sealed;
}

const entries: readonly Case2[] = [
  {
    name: "version 1 after the statement",
    options: { forgery: { entry: (one, seq) => (seq === 9 ? asVersion1(one) : one) } },
    expected: "form",
    seq: 9,
  },
  {
    name: "version 2 before the statement",
    options: { forgery: { statement: (text) => text.replace('"first":5', '"first":6') } },
    expected: "form",
    seq: 5,
  },
  { name: "unknown member", options: entry(9, { more: 1 }), expected: "form", seq: 9 },
  { name: "person", options: entry(9, { person: alice }), expected: "form", seq: 9 },
  {
    name: "unknown member of a later release",
    options: entry(9, { more: 1, since: "0.9.0" }),
    expected: "unusable",
  },
  {
    name: "unknown member of tokens",
    options: entry(9, {
      numbers: {
        duration: null,
        credits_consumed: 0,
        balance_consumed_usd: 0,
        is_cache_hit: false,
        tokens: { more: 1 },
      },
    }),
    expected: "form",
    seq: 9,
  },
  { name: "malformed release", options: entry(9, { more: 1, since: "soon" }), expected: "form", seq: 9 },
  { name: "known members of a later release", options: entry(9, { since: "0.9.0" }), expected: "unattested" },
  {
    name: "later release, but something else is wrong",
    options: entry(9, { more: 1, since: "0.9.0" }),
    lie: `UPDATE audit_entry SET status = 201 WHERE number = ${at(20)}`,
    expected: "form",
    seq: 9,
  },
  {
    name: "later release that no checkpoint covers",
    options: { ...entry(300, { more: 1, since: "0.9.0" }) },
    lie: "DELETE FROM audit_checkpoint WHERE chain = 2 AND size = 300",
    expected: "form",
    seq: 300,
  },
  {
    name: "mac of another length",
    lie: `UPDATE audit_entry SET mac = x'00' WHERE number = ${at(9)}`,
    expected: "columns",
    seq: 9,
  },
  {
    name: "mac of version 1",
    lie: `UPDATE audit_entry SET mac = zeroblob(16) WHERE number = ${at(4)}`,
    expected: "columns",
    seq: 4,
  },
  { name: "no mac", lie: "UPDATE audit_entry SET mac = NULL", expected: "unattested" },
];

function asVersion1({ parts: _, subject: __, conversation: ___, ...one }: JsonObject): JsonObject {
  return { ...one, v: 1 };
}

const trees: readonly Case2[] = [
  {
    name: "statement",
    lie: "UPDATE audit_chain SET tree = replace(tree, '\"first\":5', '\"first\":4') WHERE number = 2",
    expected: "form",
    seq: 4,
  },
  {
    name: "statement that is malformed",
    lie: "UPDATE audit_chain SET tree = tree || ' ' WHERE number = 2",
    expected: "tree",
    seq: 0,
  },
  {
    name: "statement that is missing",
    lie: "UPDATE audit_chain SET tree = NULL WHERE number = 2",
    expected: "tree",
    seq: 0,
  },
  {
    name: "statement of another chain",
    lie: "UPDATE audit_chain SET tree = (SELECT tree FROM audit_chain WHERE number = 1) WHERE number = 2",
    expected: "tree",
    seq: 0,
  },
  {
    name: "statement with another hash",
    lie: 'UPDATE audit_chain SET tree = replace(tree, \'"hash":"\', \'"hash":"0\') WHERE number = 2',
    expected: "tree",
    seq: 0,
  },
  {
    name: "statement of removed leaves",
    options: cut,
    lie: "UPDATE audit_chain SET tree = replace(tree, '\"first\":5', '\"first\":6') WHERE number = 2",
    expected: "tree",
    seq: 0,
  },
  {
    name: "records before the first one of version 2 removed",
    options: project((chain) => {
      for (const seq of [1, 2, 3]) restore(chain, seq);
    }),
    lie: `${cutAt(3)}; DELETE FROM audit_checkpoint WHERE chain = 2 AND size > 0; DELETE FROM audit_node WHERE chain = 2;
      UPDATE audit_chain SET payloads_through = 0`,
    expected: "tree",
    seq: 0,
  },
  {
    name: "all records of version 2 removed",
    options: project((chain) => {
      for (const seq of [1, 2, 3]) restore(chain, seq);
    }),
    lie: `${cutAt(4)}; DELETE FROM audit_checkpoint WHERE chain = 2 AND size > 4; DELETE FROM audit_node WHERE chain = 2;
      UPDATE audit_chain SET payloads_through = 0`,
    expected: "unattested",
  },
  {
    name: "statement without a checkpoint",
    lie: "DELETE FROM audit_checkpoint WHERE chain = 2 AND size = 0",
    expected: "tree",
    seq: 0,
  },
  {
    name: "statement whose checkpoint was replaced",
    options: project((chain) => chain.sign1(0)),
    expected: "tree",
    seq: 0,
  },
  {
    name: "node",
    lie: "UPDATE audit_node SET hash = zeroblob(32) WHERE chain = 2 AND level = 8",
    expected: "tree",
    seq: 255,
  },
  {
    name: "node that is missing",
    lie: "DELETE FROM audit_node WHERE chain = 2 AND level = 8",
    expected: "tree",
    seq: 255,
  },
  {
    name: "node of another length",
    lie: "UPDATE audit_node SET hash = x'00' WHERE chain = 2 AND level = 8",
    expected: "tree",
    seq: 255,
  },
  {
    name: "node of removed leaves",
    options: cut,
    lie: "UPDATE audit_node SET hash = zeroblob(32) WHERE chain = 2 AND level = 8 AND position = 0",
    expected: "tree",
    seq: 0,
  },
  {
    name: "node of the cut that is missing",
    options: cut,
    lie: "DELETE FROM audit_node WHERE chain = 2 AND level = 1 AND position = 1",
    expected: "tree",
    seq: 3,
  },
  {
    name: "node that is superfluous",
    lie: "INSERT INTO audit_node VALUES (2, 3, 0, zeroblob(32))",
    expected: "orphan",
    seq: null,
  },
  {
    name: "node after the end",
    lie: "INSERT INTO audit_node VALUES (2, 8, 1, zeroblob(32))",
    expected: "orphan",
    seq: null,
  },
  {
    name: "node of no chain",
    lie: "INSERT INTO audit_node VALUES (9, 8, 0, zeroblob(32))",
    expected: "orphan",
    seq: null,
  },
  {
    name: "statement of a witness about no chain",
    lie: "INSERT INTO audit_attestation VALUES (9, 1, 'cosignature', 'w', 'w', 0)",
    expected: "orphan",
    seq: null,
  },
  {
    name: "what was kept elsewhere of no chain",
    lie: "INSERT INTO audit_deposit VALUES ('/kept', 9, '2', 1, 1, '', '{}', 0)",
    expected: "orphan",
    seq: null,
  },
  {
    name: "nodes of a removed size",
    options: { ...cut, before: ([, chain]) => void chain?.nodes() },
    lie: "DELETE FROM audit_checkpoint WHERE chain = 2 AND size = 100",
    expected: "orphan",
    seq: null,
  },
];

const checkpoints: readonly Case2[] = [
  { name: "records removed at the end", lie: cutAt(290), expected: "truncated" },
  { name: "records rewritten", lie: (database) => rewrite(database), expected: "rewritten" },
  {
    name: "checkpoint of another size",
    lie: "UPDATE audit_checkpoint SET size = 101 WHERE chain = 2 AND size = 100",
    expected: "checkpoint",
    seq: 101,
  },
  {
    name: "checkpoint of a tree that is missing",
    lie: "UPDATE audit_chain SET tree = NULL WHERE number = 2",
    expected: "tree",
    seq: 0,
  },
  {
    name: "checkpoint of nobody",
    lie: "UPDATE audit_checkpoint SET note = replace(note, 'memledger/', 'memledger/') || '— x y' WHERE chain = 2 AND size = 100",
    expected: "signature",
    seq: 100,
  },
  {
    name: "version 1 with two signatures",
    lie: "UPDATE audit_checkpoint SET note = note || '— witness AAAA' || char(10) WHERE chain = 2 AND size = 4",
    expected: "signature",
    seq: 4,
  },
  {
    name: "cosignatures",
    lie: "UPDATE audit_checkpoint SET note = note || '— witness AAAA' || char(10) || '— memledger torn' || char(10) WHERE chain = 2 AND size = 100",
    expected: "unattested",
  },
  {
    name: "another log",
    options: project((chain) => chain.sign2(100, idOfSeq(9))),
    expected: "unattested",
  },
  {
    name: "signed by both keys",
    options: project((chain) => chain.sign2(20, "2", [chain.signer, successor])),
    rotations: rotation,
    expected: "signature",
    seq: 50,
  },
];

function cutAt(through: number): string {
  const gone = `SELECT number FROM audit_entry WHERE chain = 2 AND seq > ${through}`;
  return `DELETE FROM audit_pseudonym WHERE entry IN (${gone}); DELETE FROM audit_payload WHERE entry IN (${gone}); DELETE FROM audit_entry WHERE number IN (${gone})`;
}

/** The last record with another status, stamped again. */
function rewrite(database: Database): void {
  const text = String(
    database
      .prepare(`SELECT entry FROM audit_entry WHERE number = ${at(300)}`)
      .pluck()
      .get(),
  ).replace('"status":200', '"status":201');
  const hash = new Bun.CryptoHasher("sha256").update(`memledger/entry/v2\0${text}`).digest("hex");
  database
    .prepare(`UPDATE audit_entry SET entry = ?, hash = ?, status = 201 WHERE number = ${at(300)}`)
    .run(text, hash);
}

const owners: readonly Case2[] = [
  {
    name: "pseudonym of another project",
    lie: `UPDATE pseudonym SET project = 2 WHERE id = '${alice}'`,
    expected: "owner",
    seq: 5,
  },
  {
    name: "pseudonym without a row",
    lie: `DELETE FROM audit_pseudonym WHERE pseudonym = ${serial(bob)}; DELETE FROM pseudonym WHERE id = '${bob}'`,
    expected: "owner",
    seq: 8,
  },
  {
    name: "name that an erasure left",
    lie: `UPDATE pseudonym SET name = 'bob' WHERE id = '${bob}'`,
    expected: "owner",
    seq: redactSeq,
  },
  {
    name: "subject of another kind",
    lie: `UPDATE pseudonym SET kind = 'person' WHERE id = '${alice}'; UPDATE pseudonym SET owner = NULL`,
    expected: "owner",
    seq: 5,
  },
  {
    name: "conversation of another kind",
    lie: `UPDATE pseudonym SET kind = 'subject' WHERE id = '${talk}'`,
    expected: "owner",
    seq: 6,
  },
  {
    name: "owner of another project",
    lie: `INSERT INTO pseudonym (id, project, kind, name) VALUES ('${idOfSeq(1)}', 2, 'subject', 'alice');
      UPDATE pseudonym SET owner = ${serial(idOfSeq(1))} WHERE id = '${talk}'`,
    expected: "owner",
    seq: 6,
  },
  {
    name: "owner that is no subject",
    lie: `UPDATE pseudonym SET owner = serial WHERE id = '${talk}'`,
    expected: "owner",
    seq: 6,
  },
  {
    name: "name that is none",
    options: payload(5, { names: [{ pseudonym: alice, name: null }] }),
    lie: `UPDATE pseudonym SET name = NULL WHERE id = '${alice}'`,
    expected: "owner",
    seq: 5,
  },
  {
    name: "another name",
    lie: `UPDATE pseudonym SET name = 'alicia' WHERE id = '${alice}'`,
    expected: "owner",
    seq: 5,
  },
  {
    name: "no name",
    lie: `UPDATE pseudonym SET name = NULL WHERE id = '${talk}'`,
    expected: "owner",
    seq: 6,
  },
  {
    name: "made of a part that is not there",
    options: payload(7, { made_of: [{ memory: alice, record: idOfSeq(6), parts: [4] }] }),
    expected: "owner",
    seq: 7,
  },
  {
    name: "made of a part of version 1",
    options: payload(7, { made_of: [{ memory: alice, record: idOfSeq(4), parts: [0] }] }),
    expected: "owner",
    seq: 7,
  },
  {
    name: "made of a record of version 1",
    options: payload(7, { made_of: [{ memory: alice, record: idOfSeq(4), parts: [] }] }),
    expected: "unattested",
  },
  {
    name: "made of a record that is not there",
    options: payload(7, { made_of: [{ memory: alice, record: idOfSeq(9999), parts: [7] }] }),
    expected: "unattested",
  },
  {
    name: "made of nothing",
    options: payload(7, { made_of: [{ memory: alice }] }),
    expected: "owner",
    seq: 7,
  },
  { name: "memory of another project", lie: "UPDATE memory SET project = 2", expected: "owner", seq: 1 },
  {
    name: "name of a project",
    lie: "UPDATE project SET name = 'another' WHERE serial = 2",
    expected: "owner",
    seq: null,
  },
  {
    name: "row of audit_pseudonym that is missing",
    lie: `DELETE FROM audit_pseudonym WHERE entry = ${at(9)}`,
    expected: "columns",
    seq: 9,
  },
  {
    name: "row of audit_pseudonym that is superfluous",
    lie: `INSERT INTO audit_pseudonym VALUES (${serial(talk)}, ${at(9)})`,
    expected: "orphan",
    seq: null,
  },
  {
    name: "row of audit_pseudonym of version 1",
    lie: `INSERT INTO audit_pseudonym VALUES (${serial(talk)}, ${at(4)})`,
    expected: "orphan",
    seq: null,
  },
  {
    name: "row of audit_pseudonym of no record",
    lie: `INSERT INTO audit_pseudonym VALUES (${serial(talk)}, 99999)`,
    expected: "orphan",
    seq: null,
  },
];

function idOfSeq(seq: number): string {
  return new Bun.CryptoHasher("sha256").update(`project one record ${seq}`).digest("hex").slice(0, 32);
}

export const cases: readonly Case2[] = [
  ...parts,
  ...erasures,
  ...entries,
  ...trees,
  ...checkpoints,
  ...owners,
];
