// Proves that the signing key can be changed so that auditors can follow, that a lost one is told from that, and that nothing half-done
// is left when the change is cut short.

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSigner, createSigningKey } from "../../src/audit/signed-note.ts";
import { splitNotes } from "../../src/audit/verify/note.ts";
import { pythonVerdict } from "../audit/ask-python.ts";
import { requestsOf } from "./change-database.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const made = createFolder();
const elsewhere = createFolder();
const oldPublic = join(elsewhere, "old.pub");
const oldCheckpoint = join(elsewhere, "old.note");
await run(["project", "create", "--name", "one", "--data-dir", made]);
copyFileSync(join(made, "audit.pub"), oldPublic);
writeFileSync(oldCheckpoint, (await run(["audit", "checkpoint", "--data-dir", made])).stdout);
const oldKey = readFileSync(oldPublic, "utf8").trim();

function copyOf(folder: string): string {
  const copy = createFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function keyFile(): { path: string; publicKey: string } {
  const path = join(createFolder(), "new.key");
  const pem = createSigningKey();
  writeFileSync(path, pem);
  return { path, publicKey: createSigner(pem).verifierKey };
}

const rotate = (dataDir: string, ...words: string[]) =>
  runJson(["audit", "rotate-key", "--yes", "--data-dir", dataDir, "--log-level", "warn", ...words]);
const verify = (dataDir: string, ...words: string[]) => runJson(["audit", "verify", dataDir, ...words]);
const work = (dataDir: string, variables = {}) =>
  run(["project", "create", "--name", crypto.randomUUID(), "--data-dir", dataDir], variables);

describe("a change of the key", () => {
  test("is signed by the previous key, which an auditor continues to use", async () => {
    const dataDir = copyOf(made);
    const changed = await rotate(dataDir);
    expect([changed.exitCode, changed.object]).toEqual([
      0,
      { former_key: oldKey, new_key: expect.stringMatching(/^memledger\+/), attested: true },
    ]);
    expect(readFileSync(join(dataDir, "audit.pub"), "utf8")).toBe(`${changed.object.new_key}\n${oldKey}\n`);
    expect((await work(dataDir)).exitCode).toBe(0);

    const followed = await verify(dataDir, "--public-key", oldPublic, "--checkpoint", oldCheckpoint);
    expect([followed.exitCode, followed.object.failure]).toEqual([0, null]);
    expect(String(followed.object.remarks)).toContain("The previous key has signed the change.");
    // Without the statement the notes of the new key are nobody's.
    rmSync(join(dataDir, "audit.rotations"));
    expect((await verify(dataDir, "--public-key", oldPublic)).object.failure).toMatchObject({
      check: "signature",
    });
  });

  test("is recorded, with the statement, and a checkpoint of the new key covers the record", async () => {
    const dataDir = copyOf(made);
    const { object } = await rotate(dataDir);
    const statement = readFileSync(join(dataDir, "audit.rotations"), "utf8").trimEnd();
    const { stdout } = await run(["audit", "checkpoint", "--data-dir", dataDir]);
    expect(stdout).toContain("— memledger ");
    expect(requestsOf(dataDir, "audit.rotate_key")).toEqual([{ statement: `${statement}\n` }]);
    expect(statement).toContain(`memledger-rotation/v1\n${oldKey}\n${object.new_key}\n`);
  });

  test("has a checkpoint of every chain that both keys have signed, in one note", async () => {
    const dataDir = copyOf(made);
    const { object } = await rotate(dataDir);
    const keys = [object.new_key, object.former_key].map((key) => String(key).split("+")[1] ?? "");
    const ids = (note: string) =>
      [...note.matchAll(/^— memledger (.+)$/gm)].map(([, line = ""]) =>
        Buffer.from(line, "base64").subarray(0, 4).toString("hex"),
      );
    for (const name of readdirSync(join(dataDir, "checkpoints"))) {
      const notes = splitNotes(readFileSync(join(dataDir, "checkpoints", name), "utf8"));
      expect(notes.map(ids)).toContainEqual(keys);
    }
    expect((await work(dataDir)).exitCode).toBe(0);
    const checkpoints = readdirSync(join(dataDir, "checkpoints")).map((name) =>
      join(dataDir, "checkpoints", name),
    );
    const words = checkpoints.flatMap((path) => ["--checkpoint", path]);
    const verified = await verify(dataDir, "--public-key", oldPublic, ...words);
    expect([verified.exitCode, verified.object.failure]).toEqual([0, null]);
    expect(pythonVerdict(join(dataDir, "memledger.db"), ...words) ?? "intact").toBe("intact");
  });

  test("leaves no previous private key behind, and only one may sign from then on", async () => {
    const dataDir = copyOf(made);
    const previousPem = readFileSync(join(dataDir, "audit.key"), "utf8");
    expect((await rotate(dataDir)).exitCode).toBe(0);
    const names = readdirSync(dataDir);
    expect(names.filter((name) => name.startsWith("audit.")).toSorted()).toEqual([
      "audit.key",
      "audit.pub",
      "audit.rotations",
    ]);
    for (const name of ["audit.key", "audit.pub", "audit.rotations"])
      expect(readFileSync(join(dataDir, name), "utf8")).not.toContain(previousPem.split("\n")[1] ?? "");
    const back = await work(dataDir, { MEMLEDGER_AUDIT_KEY: join(made, "audit.key") });
    expect([back.exitCode, back.stderr]).toEqual([1, expect.stringContaining("is not the key that signs")]);
  });

  test("can happen again, and is followed over all steps, for exports too", async () => {
    const dataDir = copyOf(made);
    await rotate(dataDir);
    await work(dataDir);
    await rotate(dataDir);
    const out = join(createFolder(), "ledger.json");
    const span = ["--project", "one", "--from", "2020-01-01", "--to", "2099-01-01", "--format", "json"];
    expect((await runJson(["audit", "export", ...span, "--out", out, "--data-dir", dataDir])).exitCode).toBe(
      0,
    );
    expect((await verify(dataDir, "--public-key", oldPublic)).exitCode).toBe(10);
    expect((await verify(out, "--public-key", oldPublic)).object.failure).toMatchObject({
      check: "manifest",
    });
    copyFileSync(join(dataDir, "audit.rotations"), join(out, "../audit.rotations"));
    expect((await verify(out, "--public-key", oldPublic)).exitCode).toBe(10);
  });

  test("keeps the previous public keys when audit.pub is lost", async () => {
    const dataDir = copyOf(made);
    await rotate(dataDir);
    await rotate(dataDir);
    const keys = readFileSync(join(dataDir, "audit.pub"), "utf8");
    expect(keys.trim().split("\n")).toHaveLength(3);
    rmSync(join(dataDir, "audit.pub"));
    expect((await work(dataDir)).exitCode).toBe(0);
    expect(readFileSync(join(dataDir, "audit.pub"), "utf8")).toBe(keys);
    expect((await verify(dataDir)).exitCode).toBe(10);
  });

  test("to a key that is kept elsewhere, and from there back into the data directory", async () => {
    const dataDir = copyOf(made);
    const outside = keyFile();
    const out = await rotate(dataDir, "--new-key", outside.path);
    expect(out.object).toMatchObject({ new_key: outside.publicKey, attested: true });
    expect(existsSync(join(dataDir, "audit.key"))).toBe(false);
    expect((await work(dataDir)).stderr).toContain("is missing");
    expect((await work(dataDir, { MEMLEDGER_AUDIT_KEY: outside.path })).exitCode).toBe(0);
    const back = await rotate(dataDir, "--audit-key", outside.path);
    expect([back.exitCode, back.object.former_key]).toEqual([0, outside.publicKey]);
    expect((await work(dataDir)).exitCode).toBe(0);
    expect((await verify(dataDir, "--public-key", oldPublic)).exitCode).toBe(10);
  });
});

describe("a key that nobody has any more", () => {
  test("is replaced without a signature of the previous key, which verify reports; older checkpoints stay valid", async () => {
    const dataDir = copyOf(made);
    rmSync(join(dataDir, "audit.key"));
    const asked = await rotate(dataDir);
    expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringContaining("--former-key-lost")]);
    const changed = await rotate(dataDir, "--former-key-lost");
    expect(changed.object).toMatchObject({ former_key: oldKey, attested: false });
    expect((await work(dataDir)).exitCode).toBe(0);
    expect(pythonVerdict(join(dataDir, "memledger.db")) ?? "unattested").toBe("unattested");

    const rotations = readFileSync(join(dataDir, "audit.rotations"));
    const old = await verify(dataDir, "--public-key", oldPublic, "--checkpoint", oldCheckpoint);
    expect([old.exitCode, old.object.failure]).toEqual([20, expect.objectContaining({ check: "signature" })]);
    expect(String(old.object.remarks)).toContain(
      "The previous key has not signed the change, so the new key is not trusted",
    );
    const told = await run(["audit", "verify", dataDir, "--public-key", oldPublic]);
    expect(told.stdout).toMatch(
      /^BROKEN.*\n.*\n\nThe key of this ledger was changed, and the previous key, which was lost, has not signed the change/,
    );
    rmSync(join(dataDir, "audit.rotations"));
    const hinted = await run(["audit", "verify", dataDir, "--public-key", oldPublic]);
    expect(hinted.stdout).toContain("There is no file audit.rotations beside the database or export.");
    writeFileSync(join(dataDir, "audit.rotations"), rotations);
    expect(String(old.object.remarks)).not.toContain(String(changed.object.new_key));
    const both = join(createFolder(), "both.pub");
    writeFileSync(both, `${oldKey}\n${changed.object.new_key}\n`);
    const trusted = await verify(dataDir, "--public-key", both, "--checkpoint", oldCheckpoint);
    expect([trusted.exitCode, String(trusted.object.remarks)]).toEqual([
      0,
      expect.stringContaining("make sure that you received the new key"),
    ]);
  });

  test("is not called lost while it is there", async () => {
    const refused = await rotate(copyOf(made), "--former-key-lost");
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining("Remove --former-key-lost"),
    ]);
  });
});

describe("is refused:", () => {
  test("while a server runs", async () => {
    const dataDir = copyOf(made);
    const server = await serve(dataDir);
    const refused = await rotate(dataDir);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining("Stop that process")]);
    await server.end("SIGTERM");
    expect((await rotate(dataDir)).exitCode).toBe(0);
    const next = await serve(dataDir);
    expect((await next.end("SIGTERM")).exitCode).toBe(0);
  });

  test("a key that has signed before, also as the new one", async () => {
    const dataDir = copyOf(made);
    const same = await rotate(dataDir, "--new-key", join(dataDir, "audit.key"));
    expect([same.exitCode, same.stderr]).toEqual([
      1,
      expect.stringContaining("already used to sign this ledger"),
    ]);
    await rotate(dataDir);
    const former = await rotate(dataDir, "--new-key", join(made, "audit.key"));
    expect([former.exitCode, former.stderr]).toEqual([
      1,
      expect.stringContaining("already used to sign this ledger"),
    ]);
    expect(existsSync(join(dataDir, "audit.key.new"))).toBe(false);
  });

  test("a file without a key, and a directory without a database", async () => {
    const dataDir = copyOf(made);
    const noKey = await rotate(dataDir, "--new-key", oldPublic);
    expect([noKey.exitCode, noKey.stderr]).toEqual([
      1,
      expect.stringMatching(/not a valid Ed25519 .+ Set --new-key to the path/),
    ]);
    const nothing = await rotate(createFolder());
    expect([nothing.exitCode, nothing.stderr]).toEqual([1, expect.stringContaining("no memledger database")]);
  });
});

describe("a change that was cut short", () => {
  /** What the data directory holds when the process ends right before, or right after, the database knows the new key. */
  async function cutShort(isCommitted: boolean): Promise<{ dataDir: string; newPem: string }> {
    const [dataDir, changed] = [copyOf(made), copyOf(made)];
    expect((await rotate(changed)).exitCode).toBe(0);
    for (const name of ["audit.key", "audit.rotations"])
      copyFileSync(join(changed, name), join(dataDir, `${name}.new`));
    if (isCommitted) copyFileSync(join(changed, "memledger.db"), join(dataDir, "memledger.db"));
    return { dataDir, newPem: readFileSync(join(changed, "audit.key"), "utf8") };
  }

  test("after its commit is finished by the next command", async () => {
    const { dataDir, newPem } = await cutShort(true);
    expect((await work(dataDir)).exitCode).toBe(0);
    expect(readFileSync(join(dataDir, "audit.key"), "utf8")).toBe(newPem);
    expect(readdirSync(dataDir).filter((name) => name.endsWith(".new"))).toEqual([]);
    expect((await verify(dataDir, "--public-key", oldPublic)).exitCode).toBe(10);
  });

  test("before its commit is undone by the next command", async () => {
    const { dataDir } = await cutShort(false);
    expect((await work(dataDir)).exitCode).toBe(0);
    expect(readFileSync(join(dataDir, "audit.key"))).toEqual(readFileSync(join(made, "audit.key")));
    expect(readdirSync(dataDir).filter((name) => /\.new$|rotations/.test(name))).toEqual([]);
  });
});

test("an older copy of the database, from before the change, can be restored beside the new key", async () => {
  const dataDir = copyOf(made);
  await rotate(dataDir);
  await work(dataDir);
  copyFileSync(join(made, "memledger.db"), join(dataDir, "memledger.db"));
  const server = await serve(dataDir, ["--restored-backup"]);
  expect((await server.end("SIGTERM")).exitCode).toBe(0);
  expect((await verify(dataDir, "--public-key", oldPublic)).exitCode).toBe(10);
});
