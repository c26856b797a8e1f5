// A server and a time stamp authority: the newest checkpoint of each chain is stamped, an hour passes before the next one, and what is no time
// stamp of it is never stored.

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOfNote } from "../../../src/audit/verify/note.ts";
import { isObject, objectsIn } from "../../../src/platform/json/json.ts";
import { createTestAuthority, opensslAccepts, type TestAuthority } from "../../audit/timestamp/authority.ts";
import { type RunningAuthority, stampReply, startAuthority } from "../../audit/timestamp/authority-server.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { describeWith, program } from "../../needs.ts";

describeWith(program("openssl"))("time stamps over HTTP", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-stamps-"));
  let made: TestAuthority;
  let authority: RunningAuthority;
  let app: TestApp | null = null;
  beforeAll(() => {
    made = createTestAuthority(join(folder, "authority"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    if (app !== null) app.complaints.length = 0;
    await app?.stop();
    app = null;
    await authority.stop();
  });

  async function start(flags: Readonly<Record<string, string>> = {}): Promise<TestApp> {
    authority = startAuthority(made);
    app = await startTestApp({ "timestamp-url": authority.url, ...flags });
    return app;
  }

  const stampReplyTo = (request: Uint8Array | undefined) => () =>
    stampReply(made.answer(request ?? new Uint8Array()));

  let count = 0;
  const change = async (of: TestApp) => {
    await of.call("POST", "/v1/memories", { body: { content: `Fact ${++count}.`, memory_type: "fact" } });
    await of.call("GET", "/v1/audit/checkpoint");
  };
  const stamps = async (of: TestApp) => {
    const { data } = await of.call("GET", "/v1/audit/checkpoints?page_size=100");
    return objectsIn(isObject(data) ? (data.checkpoints ?? null) : null)
      .filter((each) => "timestamp" in each)
      .map(({ note, timestamp }) => ({
        note: String(note),
        token: Buffer.from(String(timestamp), "base64"),
      }));
  };
  async function until<Result>(of: TestApp, read: () => Promise<Result | null>): Promise<Result> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const found = await read();
      if (found !== null) return found;
      of.passTime(11_000);
      await Bun.sleep(50);
    }
    throw new Error(`nothing happened: ${of.complaints.join("\n")}`);
  }
  const stamped = (of: TestApp, number: number) =>
    until(of, async () => {
      const found = await stamps(of);
      return found.length === number ? found : null;
    });
  const complaint = (of: TestApp, text: string) =>
    until(of, async () => of.complaints.find((each) => each.includes(text)) ?? null);

  test("the newest checkpoint is stamped, and the next one an hour later", async () => {
    const running = await start({ "timestamp-roots": made.root });
    await change(running);
    const [first] = await stamped(running, 1);
    expect(opensslAccepts(first?.token ?? Buffer.alloc(0), textOfNote(first?.note ?? ""), made)).toBe(true);
    const asked = authority.asked.length;
    for (let minutes = 0; minutes < 50; minutes += 10) {
      await change(running);
      running.passTime(600_000);
      await Bun.sleep(50);
    }
    expect((await stamps(running)).length).toBe(1);
    expect(authority.asked.length).toBe(asked);
    running.passTime(900_000);
    await change(running);
    const [second] = await stamped(running, 2);
    expect(second?.note).not.toBe(first?.note);
    expect(running.complaints).toEqual([]);
  });

  test("a server is not started with roots that are none", async () => {
    authority = startAuthority(made);
    const none = join(folder, "none.pem");
    const begin = () => startTestApp({ "timestamp-url": authority.url, "timestamp-roots": none });
    expect(begin()).rejects.toThrow("timestamp-roots cannot be read");
    writeFileSync(none, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    expect(begin()).rejects.toThrow("not a file of certificates in PEM");
  });

  test("an authority of another root is refused, and said once", async () => {
    const { root } = createTestAuthority(join(folder, "other"));
    const running = await start({ "timestamp-roots": root });
    await change(running);
    expect(await complaint(running, "no given root has issued")).toContain("a checkpoint was not confirmed");
    expect(await stamps(running)).toEqual([]);
  });

  test("answers that are none are not stored, and the next true one is", async () => {
    const running = await start();
    authority.answerWith(() => new Response("<html>", { status: 404 }));
    await change(running);
    expect(await complaint(running, "has answered 404")).toContain("check that timestamp-url is that of");
    authority.answerWith(() => new Response("<html>", { headers: { "Content-Type": "text/html" } }));
    await complaint(running, "the media type text/html");
    authority.answerWith(() => Response.redirect("https://example.com/"));
    await complaint(running, "has answered 302");
    authority.answerWith(() => stampReply(new Uint8Array(1_000_000)));
    await complaint(running, "is too large");
    authority.answerWith(null);
    const [first] = await stamped(running, 1);
    const earlier = stampReplyTo(authority.asked.at(-1));
    running.passTime(3_700_000);
    authority.answerWith(earlier);
    await change(running);
    expect(await complaint(running, "stamps another text than this checkpoint")).toContain("cannot be used");
    await change(running);
    authority.answerWith(null);
    const both = await stamped(running, 2);
    expect(both.map(({ note }) => note)).toContain(first?.note ?? "");
  });
});
