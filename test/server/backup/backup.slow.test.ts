// Backups through the command line: beside a busy server and without one, restored and verified, and what a clumsy user or a broken disk
// does to them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { chooseEngine } from "../../../src/engines/engines.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { makeBackup } from "../../../src/server/backup/make-backup.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { changeDatabase } from "../../cli/change-database.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve, spawn } from "../../cli/command.ts";
import { main } from "../../program.ts";

afterAll(cleanUp);

/** A data directory of a server that was stopped, a backup of it with the key, and a checkpoint of a later time. */
const made = createFolder();
const elsewhere = createFolder();
const backup = join(elsewhere, "first.tar.zst");
const kept = join(elsewhere, "kept.note");
const modelName = `models/${"0f".repeat(32)}`;
const secret = "sk-this-must-not-be-in-a-backup";
let apiKey: unknown;
const report: { data: JsonObject } = { data: {} };

beforeAll(async () => {
  const server = await serve(made);
  apiKey = server.ready.api_key;
  await createFact(server.url, apiKey, "The first fact.");
  await server.end("SIGTERM");
  mkdirSync(join(made, modelName, "onnx"), { recursive: true });
  writeFileSync(join(made, modelName, "onnx/model.onnx"), "a model");
  writeFileSync(
    join(made, "memledger.toml"),
    `log-level = "warn"\n  # llm-api-key = "sk-of-last-year"\nllm-api-key = "${secret}" # of the model\nllm-model = "m"\nllm-base-url = "http://127.0.0.1:1/v1"\n`,
  );
  const outcome = await runJson(["backup", backup, "--include-signing-key", "--data-dir", made]);
  expect(outcome.exitCode).toBe(0);
  report.data = outcome.object;
  const again = await serve(made);
  for (const text of ["The second fact.", "The third fact."]) await createFact(again.url, apiKey, text);
  await again.end("SIGTERM");
  writeFileSync(kept, (await run(["audit", "checkpoint", "--data-dir", made])).stdout);
});

const signIn = (url: string, proof: JsonObject): Promise<Response> =>
  fetch(`${url}/console/api/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(proof),
  });
/** Asks who is signed in with the secret of a session. */
const whoIs = (url: string, secret: string): Promise<Response> =>
  fetch(`${url}/console/api/session`, {
    headers: { Cookie: `memledger_session_${new URL(url).port}=${secret}`, "Sec-Fetch-Site": "same-origin" },
  });

const unpack = (file: string): string => {
  const folder = createFolder();
  expect(Bun.spawnSync(["tar", "--zstd", "-xf", file, "-C", folder]).exitCode).toBe(0);
  return folder;
};
const manifestIn = (folder: string): JsonObject =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
/** As the program defines the trigger afterwards, because a changed schema is refused before. */
function forgeLedger(folder: string): void {
  changeDatabase(
    folder,
    "DROP TRIGGER audit_entry_is_final",
    "UPDATE audit_entry SET hash = lower(hex(randomblob(32))) WHERE seq = 1",
    "CREATE TRIGGER audit_entry_is_final BEFORE UPDATE ON audit_entry\nBEGIN\n  SELECT RAISE(ABORT, 'audit entries are append-only');\nEND",
  );
}

/** An archive of the folder whose checksums match, with another manifest. */
function packAgain(folder: string, name: string, changes: JsonObject = {}): string {
  const file = join(elsewhere, name);
  const manifest = manifestIn(folder);
  const files = (Array.isArray(manifest.files) ? manifest.files : []).filter(isObject).map((each) => {
    const content = readFileSync(join(folder, String(each.name)));
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    return { name: each.name ?? null, bytes: content.length, sha256 };
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, files, ...changes }));
  const names = ["manifest.json", ...files.map(({ name: each }) => String(each))];
  Bun.spawnSync(["tar", "--zstd", "--format=ustar", "-cf", file, ...names], { cwd: folder });
  return file;
}

const hiddenIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("."));

describe("a backup without a server", () => {
  test("is a file of the owner that ordinary tar opens, with a manifest", () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const folder = unpack(backup);
    const manifest = manifestIn(folder);
    expect(manifest).toMatchObject({
      format: "memledger-backup/v1",
      database_format: report.data.database_format,
      installation: report.data.installation,
      includes_signing_key: true,
    });
    for (const file of Array.isArray(manifest.files) ? manifest.files : []) {
      if (!isObject(file)) throw new Error("no file");
      const content = readFileSync(join(folder, String(file.name)));
      expect(content.length).toBe(Number(file.bytes));
      expect(new Bun.CryptoHasher("sha256").update(content).digest("hex")).toBe(String(file.sha256));
    }
    expect(new Bun.CryptoHasher("sha256").update(readFileSync(backup)).digest("hex")).toBe(
      String(report.data.sha256),
    );
    expect(hiddenIn(elsewhere)).toEqual([]);
  });

  test("contains its own record, and no secret but the key that was asked for", () => {
    const folder = unpack(backup);
    const toml = readFileSync(join(folder, "memledger.toml"), "utf8");
    expect(toml).toContain('llm-model = "m"');
    expect(toml).not.toContain("sk-of-last-year");
    expect(report.data.removed_settings).toEqual(["llm-api-key"]);
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      expect(readFileSync(join(name.parentPath, name.name)).includes(secret)).toBe(false);
    }
    expect(readFileSync(join(folder, "memledger.db")).includes("backup.create")).toBe(true);
    expect(readFileSync(join(folder, "audit.key"), "utf8")).toBe(
      readFileSync(join(made, "audit.key"), "utf8"),
    );
  });

  test("is restored, and a server starts with all of it", async () => {
    const target = join(createFolder(), "new", "data");
    const { exitCode, object } = await runJson(["restore", backup, "--data-dir", target]);
    expect([exitCode, object.needs_signing_key, object.removed_settings]).toEqual([
      0,
      false,
      ["llm-api-key"],
    ]);
    expect(readFileSync(join(target, modelName, "onnx/model.onnx"), "utf8")).toBe("a model");
    expect(statSync(target).mode & 0o777).toBe(0o700);
    expect(hiddenIn(join(target, ".."))).toEqual([]);
    const server = await serve(target);
    const memories: unknown = await (await call(server.url, apiKey)).json();
    expect(JSON.stringify(memories)).toContain("The first fact.");
    const { stderr } = await server.end("SIGTERM");
    expect(stderr).toBe("");
  });

  test("does not revive sessions, sign-in links and tokens, however the older database comes back", async () => {
    const [dataDir, folder] = [createFolder(), createFolder()];
    const server = await serve(dataDir);
    const link = String(server.ready.console_link).split("#")[1] ?? "";
    const signedIn = await signIn(server.url, { key: String(server.ready.api_key) });
    const [, secret = ""] =
      /^memledger_session_\d+=([^;]+)/.exec(signedIn.headers.get("set-cookie") ?? "") ?? [];
    expect([(await whoIs(server.url, secret)).status, signedIn.status]).toEqual([200, 201]);
    const issued = await fetch(`${server.url}/v1/keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.ready.api_key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ subject: "user:1" }),
    });
    const { token } = ((await issued.json()) as { data: { token: string } }).data;
    expect((await call(server.url, token)).status).toBe(200);
    const file = join(folder, "with-sessions.tar.zst");
    expect((await run(["backup", file, "--include-signing-key", "--data-dir", dataDir])).exitCode).toBe(0);
    await createFact(server.url, server.ready.api_key, "After the backup.");
    await server.end("SIGTERM");
    const requireNone = async (url: string) => {
      expect((await whoIs(url, secret)).status).toBe(401);
      expect((await signIn(url, { link })).status).toBe(401);
      expect((await call(url, token)).status).toBe(401);
      expect((await call(url, String(server.ready.api_key))).status).toBe(200);
    };

    const target = join(createFolder(), "data");
    const { exitCode, object } = await runJson(["restore", file, "--data-dir", target]);
    expect([exitCode, object.ended_sessions]).toEqual([0, 2]);
    const restored = await serve(target);
    await requireNone(restored.url);
    await restored.end("SIGTERM");

    // Copied into the directory by hand, as a replica is.
    copyFileSync(join(unpack(file), "memledger.db"), join(dataDir, "memledger.db"));
    const accepted = await serve(dataDir, ["--restored-backup"]);
    await requireNone(accepted.url);
    await accepted.end("SIGTERM");
  });

  test("names the keys and projects that it revives, and revokes all keys on request", async () => {
    const target = join(createFolder(), "data");
    const shown = await run(["restore", backup, "--data-dir", target]);
    expect(shown.stdout).toMatch(/1 key is in force again, also keys that were revoked after[\s\S]+default/);
    expect(shown.stdout).toContain("A project that was deleted after this time exists again");
    const revoked = join(createFolder(), "data");
    const { object } = await runJson(["restore", backup, "--revoke-keys", "--data-dir", revoked]);
    expect(object).toMatchObject({ revoked_keys: 1, keys_in_force: [], projects: [{ name: "default" }] });
    expect(readdirSync(revoked).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
    const server = await serve(revoked);
    expect((await call(server.url, apiKey)).status).toBe(401);
    await server.end("SIGTERM");
  });

  test("that is older than a checkpoint: audit verify says which records are missing", async () => {
    const target = join(createFolder(), "data");
    await run(["restore", backup, "--data-dir", target]);
    const { exitCode, stdout } = await run(["audit", "verify", target, "--checkpoint", kept]);
    expect(exitCode).toBe(30);
    // The first fact, then: the second, the third.
    expect(stdout).toMatch(/the last record is number 1\. The 2 records from 2 to 3 are missing/);
    const checked = await runJson(["backup", "verify", backup, "--checkpoint", kept]);
    expect(checked.exitCode).toBe(30);
    expect(JSON.stringify(checked.object)).toContain("The 2 records from 2 to 3 are missing");
  });
});

describe("a backup beside a busy server", () => {
  test("contains every call that was answered before it, is verified, and needs its key", async () => {
    const folder = createFolder();
    const file = join(elsewhere, "busy.tar.zst");
    const server = await serve(folder);
    const key = server.ready.api_key;
    let sent = 0;
    let isLoaded = true;
    const clients = Array.from({ length: 4 }, async () => {
      while (isLoaded) {
        const number = ++sent;
        expect((await createFact(server.url, key, `Fact number ${number}.`)).status).toBe(201);
      }
    });
    while (sent < 20) await Bun.sleep(10);
    const before = sent - clients.length;
    const { exitCode, object } = await runJson(["backup", file, "--data-dir", folder]);
    isLoaded = false;
    await Promise.all(clients);
    expect([exitCode, object.includes_signing_key]).toEqual([0, false]);
    expect(Number(object.records)).toBeGreaterThanOrEqual(before);

    const checked = await runJson(["backup", "verify", file]);
    expect([checked.exitCode, checked.object.records]).toEqual([0, object.records]);
    const inUse = await run(["restore", file, "--data-dir", folder]);
    expect([inUse.exitCode, inUse.stderr]).toEqual([3, expect.stringContaining("is in use")]);
    await server.end("SIGTERM");
    const notEmpty = await run(["restore", file, "--data-dir", folder]);
    expect([notEmpty.exitCode, notEmpty.stderr]).toEqual([1, expect.stringContaining("is not empty")]);

    const target = join(createFolder(), "data");
    mkdirSync(target);
    const restored = await run(["restore", file, "--data-dir", target]);
    expect([restored.exitCode, restored.stdout]).toEqual([0, expect.stringContaining("audit.key")]);
    const refused = await run(["serve", "--port", "0", "--data-dir", target]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("is missing")]);
    copyFileSync(join(folder, "audit.key"), join(target, "audit.key"));
    const again = await serve(target);
    expect((await call(again.url, key)).status).toBe(200);
    await again.end("SIGTERM");
    expect((await run(["audit", "verify", target])).exitCode).toBe(10);
  });
});

describe("a new backup is refused, and nothing is left,", () => {
  test.each<[string, (folder: string) => readonly string[], RegExp]>([
    ["inside the data directory", () => [join(made, "b.tar.zst")], /is inside the data directory/],
    [
      "inside the data directory through a link",
      (folder) => {
        symlinkSync(made, join(folder, "link"));
        return [join(folder, "link", "b.tar.zst")];
      },
      /is inside the data directory/,
    ],
    ["as a directory", (folder) => [folder], /is a directory\. Add the name of a file/],
    [
      "in a folder that does not exist",
      (folder) => [join(folder, "none/b.tar.zst")],
      /it does not exist\. Create it/,
    ],
    ["over an existing file", () => [backup], /already exists.*--force/],
    [
      "over a pipe",
      (folder) => {
        Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
        return [join(folder, "pipe"), "--force"];
      },
      /is not a regular file/,
    ],
    ["on standard output", () => ["-"], /cannot be written to standard output/],
    [
      "without the key that is asked for",
      (folder) => {
        const copy = join(folder, "data");
        cpSync(made, copy, { recursive: true });
        rmSync(join(copy, "audit.key"));
        return [join(folder, "b.tar.zst"), "--include-signing-key", "--data-dir", copy];
      },
      /audit key .* is missing/,
    ],
    [
      "of a directory without a database",
      (folder) => [join(folder, "b.tar.zst"), "--data-dir", join(folder, "none")],
      /There is no memledger database/,
    ],
  ])("%s", async (_, words, message) => {
    const folder = createFolder();
    const given = words(folder);
    const place = given.includes("--data-dir") ? [] : ["--data-dir", made];
    const { exitCode, stderr } = await run(["backup", ...given, ...place]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect([...hiddenIn(folder), ...hiddenIn(elsewhere), ...hiddenIn(made)]).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".zst"))).toEqual([]);
  });

  test("when the database is damaged: it must not replace a good one", async () => {
    const folder = createFolder();
    const copy = join(folder, "data");
    cpSync(made, copy, { recursive: true });
    const file = join(folder, "b.tar.zst");
    expect((await run(["backup", file, "--data-dir", copy])).exitCode).toBe(0);
    const before = readFileSync(file);
    const path = join(copy, "memledger.db");
    const database = readFileSync(path);
    // A page in the middle, of a table or an index that this command does not read.
    database.fill(
      0x5a,
      Math.floor(database.length / 8192) * 4096,
      Math.floor(database.length / 8192) * 4096 + 4096,
    );
    writeFileSync(path, database);
    const { exitCode, stderr } = await run(["backup", file, "--force", "--data-dir", copy]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/damaged/)]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(hiddenIn(folder)).toEqual([]);
  });

  test("when the disk is full", async () => {
    const folder = createFolder();
    const words = ["backup", join(folder, "b.tar.zst"), "--data-dir", made];
    // No file may grow beyond 200 KiB, which the copy of the database does.
    const script = `trap '' XFSZ; ulimit -f 200; exec "$@"`;
    const child = Bun.spawnSync(["bash", "-c", script, "bash", process.execPath, main, ...words]);
    expect([child.exitCode, child.stderr.toString()]).toEqual([
      1,
      expect.stringMatching(/cannot be copied to .*: (no space is left|the disk reports)/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("with --force, the previous file is replaced", async () => {
    const folder = createFolder();
    const file = join(folder, "b.tar.zst");
    writeFileSync(file, "before");
    chmodSync(file, 0o644);
    expect((await run(["backup", file, "--force", "--data-dir", made])).exitCode).toBe(0);
    expect([statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ["b.tar.zst"]]);
    expect((await run(["backup", "verify", file])).exitCode).toBe(0);
  });
});

test("a backup whose database has a model that was not there when its files were listed is not made", async () => {
  const root = createFolder();
  await run(["project", "create", "--name", "one", "--plan", "pro", "--data-dir", root]);
  const server = await serve(root);
  await server.end("SIGTERM");
  const directory = locate(root);
  const engine = chooseEngine(directory);
  const copyTo: typeof engine.copyTo = async (copy, options) => {
    const copied = await engine.copyTo(copy, options);
    mkdirSync(join(root, "models", copied.model?.sha256 ?? "none"), { recursive: true });
    return copied;
  };
  const folder = createFolder();
  const options = { mayReplace: false, auditKey: null, includesSigningKey: false, now: Date.now() };
  const backedUp = makeBackup(
    { directory, engine: { ...engine, copyTo } },
    { ...options, target: join(folder, "b.tar.zst") },
  );
  await expect(backedUp).rejects.toThrow(/model was changed while the backup was made. Run the backup again/);
  expect(readdirSync(folder)).toEqual([]);
});

describe("a backup that is stopped", () => {
  const begin = async (file: string, stage: string) => {
    const program = join(import.meta.dir, "slow-backup.ts");
    const child = Bun.spawn([process.execPath, program, made, file, stage], { stdout: "pipe" });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("begun\n");
    return child;
  };

  test.each(["0", "2"])("by kill -9 in stage %s leaves no half file under its name", async (stage) => {
    const folder = createFolder();
    const file = join(folder, "b.tar.zst");
    const child = await begin(file, stage);
    child.kill("SIGKILL");
    await child.exited;
    const left = readdirSync(folder);
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter((name) => !/^\.memledger-backup-/.test(name))).toEqual([]);

    // Another program may still be writing them; an hour later, it is not.
    expect((await run(["backup", file, "--data-dir", made])).exitCode).toBe(0);
    expect(readdirSync(folder).length).toBe(left.length + 1);
    const hourAgo = Date.now() / 1000 - 3_700;
    for (const name of left) utimesSync(join(folder, name), hourAgo, hourAgo);
    expect((await run(["backup", file, "--force", "--data-dir", made])).exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual(["b.tar.zst"]);
  });

  test.each(["SIGINT", "SIGHUP"] as const)("by %s leaves nothing, or is complete", async (name) => {
    const folder = createFolder();
    const file = join(folder, "b.tar.zst");
    const child = spawn(["backup", file, "--data-dir", made]);
    while (readdirSync(folder).length === 0) await Bun.sleep(1);
    child.kill(name);
    const [exitCode, stderr] = [await child.exited, await child.stderr.text()];
    const isStopped = exitCode === 1;
    if (isStopped) expect(stderr).toContain(`Stopped by ${name}. No backup was made.`);
    else expect(exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual(isStopped ? [] : ["b.tar.zst"]);
  });
});

describe("a backup is not restored", () => {
  const restore = async (file: string, words: readonly string[] = []) => {
    const parent = createFolder();
    const outcome = await run(["restore", file, "--data-dir", join(parent, "data"), ...words]);
    expect(readdirSync(parent)).toEqual([]);
    return outcome;
  };

  test("when it was cut short or altered: exit code 40", async () => {
    const file = join(elsewhere, "cut.tar.zst");
    const whole = readFileSync(backup);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    const cut = await restore(file);
    expect([cut.exitCode, cut.stderr]).toEqual([40, expect.stringMatching(/cut short.*Nothing was changed/)]);
    const altered = Buffer.from(whole);
    const middle = Math.floor(whole.length / 2);
    altered[middle] = (altered[middle] ?? 0) ^ 0xff;
    writeFileSync(file, altered);
    expect((await restore(file)).exitCode).toBe(40);
    expect((await run(["backup", "verify", file])).exitCode).toBe(40);
    rmSync(file);
  });

  test.each<[string, () => string, number, RegExp]>([
    ["when it does not exist", () => join(elsewhere, "none"), 1, /none cannot be used: it does not exist/],
    ["when it is a directory", () => elsewhere, 40, /is not a regular file/],
    ["when it is a database", () => join(made, "memledger.db"), 40, /not compressed with zstd/],
  ])("%s", async (_, path, code, message) => {
    const { exitCode, stderr } = await restore(path());
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
  });

  test("when its ledger was changed, although all checksums match: exit code 20", async () => {
    const folder = unpack(backup);
    forgeLedger(folder);
    const file = packAgain(folder, "forged.tar.zst");
    const { exitCode, stdout } = await restore(file);
    expect([exitCode, stdout]).toEqual([20, expect.stringMatching(/Nothing was restored\.\nBROKEN/)]);
  });

  test("when its ledger was changed, and its manifest states a format that cannot be verified", async () => {
    const folder = unpack(backup);
    forgeLedger(folder);
    for (const database_format of [1, 99]) {
      const file = packAgain(folder, "forged.tar.zst", { database_format });
      const { exitCode, stderr } = await restore(file);
      expect([exitCode, stderr]).toEqual([40, expect.stringMatching(/its manifest states format.*altered/)]);
    }
  });

  test("when it is of another installation than the public key", async () => {
    const other = createFolder();
    await run(["project", "create", "--name", "other", "--plan", "pro", "--data-dir", other]);
    const { exitCode, stdout } = await restore(backup, ["--public-key", join(other, "audit.pub")]);
    expect([exitCode, stdout]).toEqual([20, expect.stringContaining("signature")]);
  });

  test("and what a killed restore has left is removed later", async () => {
    const parent = createFolder();
    const left = join(parent, ".memledger-restore-0123456789ab");
    mkdirSync(left);
    writeFileSync(join(left, "memledger.db"), "half");
    const other = join(parent, ".memledger-restore-notes");
    mkdirSync(other);
    const hourAgo = Date.now() / 1000 - 3_700;
    utimesSync(left, hourAgo, hourAgo);
    expect((await run(["restore", backup, "--data-dir", join(parent, "data")])).exitCode).toBe(0);
    expect([existsSync(left), existsSync(other)]).toEqual([false, true]);
  });
});
