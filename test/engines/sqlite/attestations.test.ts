// What third parties state about checkpoints stays with the checkpoint that it is about, is given out with it, and goes with it.

import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { textOfNote } from "../../../src/audit/verify/note.ts";
import type { Attestation, AttestationSource } from "../../../src/calls/storage/attestation-store.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { neverAborted, openSeam, runtime, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";

const createFolder = removeFoldersAfterEach();
const seams: Seam[] = [];
afterEach(async () => {
  for (const seam of seams.splice(0)) await seam.close();
});

const witness: AttestationSource = { kind: "cosignature", source: "witness.example+12345678+BAAA" };
const line = (name: string) => `— ${name} EjRWeAAAAABkGFDL`;

async function openSigned() {
  const path = join(createFolder(), "memledger.db");
  const seam = await openSeam({ path });
  seams.push(seam);
  const member = await seam.project();
  const { attestations, audit } = seam.store;
  let made = 0;
  const sign = async () => {
    await member.create({ content: `memory ${++made}`, vector: unitVector(made) });
    return String((await member.call("audit.checkpoint", {})).data.note);
  };
  const ofProject = async (source = witness) =>
    (await attestations.unattested(source)).find(({ project }) => project === member.id);
  const add = async (statement: Partial<Attestation> = {}) => {
    const due = await ofProject();
    if (due === undefined) throw new Error("nothing is due");
    const attestation = { ...witness, content: line("witness.example"), at: seam.now(), ...statement };
    return [due, await attestations.add(due, attestation)] as const;
  };
  const listed = async () => {
    const query = { below: null, limit: 10 };
    return (await audit.checkpoints(member.caller.project, query, neverAborted)).map(({ note }) => note);
  };
  return { seam, path, member, attestations, audit, sign, ofProject, add, listed };
}

test("the newest checkpoint of each chain waits for each source, with the one before that has its statement", async () => {
  const { seam, sign, ofProject, add, attestations } = await openSigned();
  const first = await sign();
  expect(await ofProject()).toMatchObject({ note: first, attested: null });
  expect((await attestations.unattested(witness)).map(({ project }) => project)).toContain(null);
  const [due, isAdded] = await add();
  expect(isAdded).toBe(true);
  expect(await ofProject()).toBeUndefined();
  expect(await ofProject({ ...witness, source: "other+12345678+BAAA" })).toMatchObject({ attested: null });
  expect(await ofProject({ kind: "timestamp", source: witness.source })).toMatchObject({ attested: null });
  expect(await attestations.of(due)).toEqual([
    { ...witness, content: line("witness.example"), at: expect.any(Number) },
  ]);
  const second = await sign();
  const waiting = await ofProject();
  expect(waiting).toMatchObject({ note: second, attested: first, oldestAt: waiting?.at });
  seam.passTime(1_000);
  const third = await sign();
  // What has waited longest is the checkpoint after the last one that has a statement.
  expect(await ofProject()).toMatchObject({ note: third, attested: first, oldestAt: waiting?.at });
});

test("cosignatures are given out after our own signature, wherever the checkpoint is; other statements are not", async () => {
  const { seam, member, sign, add, listed, audit } = await openSigned();
  const note = await sign();
  const { data } = await member.call("audit.checkpoint", {});
  expect(data.note).not.toBe(note);
  await add();
  seam.passTime(1_000);
  const other = { ...witness, source: "other.example+12345678+BAAA", content: line("other.example") };
  const due = (await seam.store.attestations.unattested(other)).find(({ project }) => project === member.id);
  if (due === undefined) throw new Error("nothing is due");
  await seam.store.attestations.add(due, { ...other, at: seam.now() });
  await seam.store.attestations.add(due, {
    kind: "timestamp",
    source: "authority",
    content: "MIIB",
    at: seam.now(),
  });
  const cosigned = `${String(data.note)}${line("witness.example")}\n${line("other.example")}\n`;
  expect((await listed())[0]).toBe(cosigned);
  const { project } = member.caller;
  expect((await audit.proveInclusion(project, 1, neverAborted))?.note).toBe(cosigned);
  expect((await seam.store.attestations.of(due)).map(({ kind }) => kind)).toContain("timestamp");
});

test("a statement about another text, or about no checkpoint, is not stored", async () => {
  const { sign, ofProject, attestations } = await openSigned();
  await sign();
  const due = await ofProject();
  if (due === undefined) throw new Error("nothing is due");
  const statement = { ...witness, content: line("witness.example"), at: 1 };
  expect(await attestations.add({ ...due, note: due.note.replace("/2\n", "/3\n") }, statement)).toBe(false);
  expect(await attestations.add({ ...due, size: due.size + 1 }, statement)).toBe(false);
  expect(await attestations.add({ ...due, chain: "0".repeat(32) }, statement)).toBe(false);
  expect(await attestations.of(due)).toEqual([]);
});

test("statements go with the row of their checkpoint, and when its text changes, but not when it is signed with another key, too", async () => {
  const { seam, path, sign, add } = await openSigned();
  await sign();
  const [{ size, note }] = await add();
  await seam.close();
  seams.length = 0;
  const database = openDatabase(path, runtime);
  database.pragma("foreign_keys = ON");
  const count = () => database.prepare("SELECT count(*) FROM audit_attestation").pluck().get();
  const inSavepoint = (sql: string, ...values: unknown[]) => {
    database.exec("SAVEPOINT one");
    expect(database.prepare(sql).run(...values).changes).toBe(1);
    const left = count();
    database.exec("ROLLBACK TO one; RELEASE one");
    return left;
  };
  const change = "UPDATE audit_checkpoint SET note = ? WHERE size = ? AND note = ?";
  expect(inSavepoint(change, note + line("memledger"), size, note)).toBe(1);
  expect(inSavepoint(change, note.replace("/2\n", `/${"a".repeat(32)}\n`), size, note)).toBe(0);
  expect(inSavepoint("DELETE FROM audit_checkpoint WHERE size = ? AND note = ?", size, note)).toBe(0);
  expect(count()).toBe(1);
  expect(textOfNote(note)).toContain("/2\n");
  database.close();
});
