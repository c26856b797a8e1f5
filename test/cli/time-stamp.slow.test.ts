// Time stamps by file, for a machine without a network: the request is written, openssl is the authority, and the answer is stored, given out with
// its checkpoint, and accepted by openssl as it was given out.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOfNote } from "../../src/audit/verify/note.ts";
import { isObject, objectsIn } from "../../src/platform/json/json.ts";
import { createTestAuthority, opensslAccepts, type TestAuthority } from "../audit/timestamp/authority.ts";
import { describeWith, program } from "../needs.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

describeWith(program("openssl"))("time stamps by file", () => {
  const folder = createFolder();
  const dataDir = join(folder, "data");
  const at = (name: string) => join(folder, name);
  const audit = (...words: string[]) =>
    run(["audit", ...words, "--data-dir", dataDir, "--log-level", "error"]);
  let authority: TestAuthority;
  beforeAll(async () => {
    authority = createTestAuthority(at("authority"));
    const created = ["project", "create", "--name", "shop", "--plan", "business", "--data-dir", dataDir];
    expect((await run(created)).exitCode).toBe(0);
  });

  async function stamped(name: string, ...words: string[]): Promise<{ request: string; answer: string }> {
    const [request, answer] = [at(`${name}.tsq`), at(`${name}.tsr`)];
    const { exitCode, stdout } = await audit("timestamp-request", "--out", request, ...words);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`timestamp-add ${answer}`)]);
    writeFileSync(answer, authority.answer(new Uint8Array(readFileSync(request))));
    return { request, answer };
  }

  test("are stored with their checkpoint, and given out with it", async () => {
    const { request, answer } = await stamped("shop", "--project", "shop");
    const { object } = await runJson([
      "audit",
      "timestamp-add",
      answer,
      "--request",
      request,
      "--data-dir",
      dataDir,
    ]);
    expect(object).toMatchObject({
      size: expect.any(Number),
      time: expect.any(String),
      accuracy_seconds: 1.5001,
      authority: "CN=Test time stamps, O=memledger test",
    });
    const other = await stamped("installation");
    expect((await audit("timestamp-add", other.answer)).exitCode).toBe(0);
    const server = await serve(dataDir);
    const words = [
      "key",
      "create",
      "--project",
      "shop",
      "--permissions",
      "audit.read",
      "--data-dir",
      dataDir,
    ];
    const { object: key } = await runJson(words);
    const response = await fetch(`${server.url}/v1/audit/checkpoints`, {
      headers: { Authorization: `Bearer ${key.key}` },
    });
    const { data = null } = JSON.parse(await response.text());
    const given = objectsIn(isObject(data) ? (data.checkpoints ?? null) : null).find(
      (one) => "timestamp" in one,
    );
    const token = Buffer.from(String(given?.timestamp), "base64");
    expect(opensslAccepts(token, textOfNote(String(given?.note)), authority)).toBe(true);
    expect((await audit("timestamp-add", answer)).exitCode).toBe(0);
    await server.end("SIGTERM");
    const { exitCode, stdout } = await audit("verify");
    expect([exitCode, stdout]).toEqual([
      10,
      expect.stringMatching(
        /Records up to \d+ of chain \w+ existed at .*Z \+\/- 1\.5001 s, says "CN=Test time stamps, O=memledger test", which was not checked/,
      ),
    ]);
    const roots = ["--timestamp-roots", authority.root];
    expect((await audit("verify", ...roots)).stdout).not.toContain("not checked against a root");
    const { object: report } = await runJson(["audit", "verify", ...roots, "--data-dir", dataDir]);
    expect(objectsIn(report.timestamps ?? null)).toEqual([
      expect.objectContaining({ valid: true, accuracy_seconds: 1.5001, root_checked: true }),
      expect.objectContaining({ valid: true, policy: "1.3.6.1.4.1.32473.1", root_checked: true }),
    ]);
    const foreign = createTestAuthority(at("foreign"));
    const refused = await audit("verify", "--timestamp-roots", foreign.root);
    expect([refused.exitCode, refused.stdout]).toEqual([
      10,
      expect.stringContaining("counts for nothing: no given root"),
    ]);
    const none = await audit("verify", "--timestamp-roots", answer);
    expect([none.exitCode, none.stdout]).toEqual([40, expect.stringContaining("certificates in PEM")]);
  });

  test("are in receipts, and verified with them", async () => {
    const { object: listed } = await runJson(["audit", "list", "--data-dir", dataDir]);
    const oldest = String(objectsIn(listed.logs).at(-1)?.id);
    const file = at("oldest.tlog-proof");
    expect((await audit("receipt", oldest, "--out", file)).exitCode).toBe(0);
    const verify = async (...words: string[]) => {
      const key = ["--public-key", join(dataDir, "audit.pub")];
      return (await run(["audit", "verify-receipt", file, ...key, ...words])).stdout;
    };
    expect(await verify()).toMatch(
      /The record existed at .*Z \+\/- 1\.5001 s, says .* not checked against a root/,
    );
    const checked = await verify("--timestamp-roots", authority.root);
    expect(checked).toContain('says "CN=Test time stamps, O=memledger test".');
    expect(checked).not.toContain("What the time stamp");
    const foreign = createTestAuthority(at("another"));
    expect(await verify("--timestamp-roots", foreign.root)).toContain(
      "it counts for nothing, because no given root",
    );
  });

  test("that are of nothing here are refused, and the message says what to do", async () => {
    const { request, answer } = await stamped("again", "--project", "shop");
    const { request: another } = await stamped("another", "--project", "shop");
    const refusal = async (...words: string[]) => {
      const { exitCode, stderr } = await audit("timestamp-add", ...words);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("timestamp-request")]);
      return stderr;
    };
    expect(await refusal(answer, "--request", another)).toContain("its nonce is not that of the request");
    expect(await refusal(request)).toContain("not the answer of a time stamp authority");
    writeFileSync(at("page.html"), "<html>Not found</html>");
    expect(await refusal(at("page.html"))).toContain("not the answer of a time stamp authority");
    writeFileSync(at("cut.tsr"), readFileSync(answer).subarray(0, -1));
    expect(await refusal(at("cut.tsr"))).toContain("not the answer of a time stamp authority");
    const foreign = readFileSync(request);
    const imprint = foreign.indexOf(Buffer.from("0420", "hex")) + 2;
    foreign[imprint] = (foreign[imprint] ?? 0) ^ 1;
    writeFileSync(at("foreign.tsr"), authority.answer(new Uint8Array(foreign)));
    expect(await refusal(at("foreign.tsr"))).toContain("stamps no checkpoint of this ledger");
    expect(await audit("timestamp-add", answer, "--request", answer)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("--request is not a request for a time stamp"),
    });
    expect(await audit("timestamp-add", at("none"))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("does not exist"),
    });
  });

  test("a request is of one checkpoint, and replaces no file", async () => {
    await audit("checkpoint", "--out", at("all.note"));
    const several = await audit("timestamp-request", "--checkpoint", at("all.note"), "--out", at("all.tsq"));
    expect(several).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("exactly one") });
    await audit("checkpoint", "--project", "shop", "--out", at("one.note"));
    const words = ["timestamp-request", "--checkpoint", at("one.note"), "--out", at("one.tsq")];
    expect((await audit(...words)).exitCode).toBe(0);
    expect((await audit(...words)).stderr).toContain("is not overwritten");
    expect((await audit(...words, "--force")).exitCode).toBe(0);
    const unknown = await audit("timestamp-request", "--project", "none", "--out", at("none.tsq"));
    expect(unknown.stderr).toContain('There is no project "none"');
  });
});
