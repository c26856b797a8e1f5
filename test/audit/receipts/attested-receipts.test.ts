// The checkpoint of a receipt is the newest one of which others have stated something, with everything that they have stated of it.

import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { receiptExtra, receiptText } from "../../../src/audit/record-receipt.ts";
import { readEntries } from "../../calls/storage/conformance/records.ts";
import { neverAborted, openSeam, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { reportOf } from "./ask-receipt.ts";
import { seenAt, witness } from "./made-receipts.ts";

const createFolder = removeFoldersAfterEach();
const seams: Seam[] = [];
afterEach(async () => {
  for (const seam of seams.splice(0)) await seam.close();
});

test("a receipt has the cosignatures and the time stamp of the newest checkpoint that has one and covers its record", async () => {
  const seam = await openSeam({ path: join(createFolder(), "memledger.db") });
  seams.push(seam);
  const member = await seam.project();
  const { attestations } = seam.store;
  const { audit } = seam.store;
  const { project } = member.caller;
  const create = async (content: string) => {
    await member.create({ content, vector: unitVector(content.length) });
    return (await readEntries(seam, member)).at(-1)?.id ?? "";
  };
  const sign = async () => {
    const { data } = await member.call("audit.checkpoint", {});
    return { note: String(data.note), key: String(data.public_key) };
  };
  const receiptOf = async (id: string) => {
    const record = await audit.find(project, id, neverAborted);
    const proof = record === null ? null : await audit.proveInclusion(project, record.seq, neverAborted);
    if (record === null || proof === null) throw new Error(`no proof of ${id}`);
    return receiptText(receiptExtra(record, true, proof.timestamp), record.seq, proof);
  };

  const older = await create("one");
  const { key } = await sign();
  const source = witness.verifierKey;
  const due = (await attestations.unattested({ kind: "cosignature", source })).find(
    ({ project }) => project === member.id,
  );
  if (due === undefined) throw new Error("nothing is due");
  const [line = ""] = witness.cosign(due.note, seenAt).slice(due.note.length).split("\n");
  await attestations.add(due, { kind: "cosignature", source, content: line, at: 1 });
  await attestations.add(due, { kind: "timestamp", source: "authority", content: "MIIB", at: 2 });
  const newer = await create("three");
  await sign();

  const receiptWithStamp = await receiptOf(older);
  const attested = reportOf(receiptWithStamp, [key]);
  expect(attested).toMatchObject({ verdict: "intact", facts: { record: older } });
  expect(attested.notProved.join()).toContain("the time stamp in the receipt says: it was not checked");
  const plain = reportOf(await receiptOf(newer), [key]);
  expect(plain).toMatchObject({ verdict: "unattested", facts: { record: newer, witnesses: [] } });
  expect(plain.notProved.join()).not.toContain("time stamp");

  const next = (await attestations.unattested({ kind: "cosignature", source })).find(
    ({ project }) => project === member.id,
  );
  if (next === undefined) throw new Error("nothing is due");
  const [nextLine = ""] = witness.cosign(next.note, seenAt).slice(next.note.length).split("\n");
  await attestations.add(next, { kind: "cosignature", source, content: nextLine, at: 3 });
  expect(reportOf(await receiptOf(newer), [key])).toMatchObject({ verdict: "intact" });
  // A larger one has a cosignature alone.
  expect(await receiptOf(older)).toBe(receiptWithStamp);
});
