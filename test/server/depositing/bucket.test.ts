// Keeping files in a bucket: each is locked and confirmed, the same one again is no error, another one under its name is refused, and what the server answers
// otherwise is said with what to do.

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClock } from "../../../src/platform/time/clock.ts";
import { AttestationRefused } from "../../../src/server/attesting/destination.ts";
import { createBucketPlace } from "../../../src/server/depositing/bucket.ts";
import type { SpooledFile } from "../../../src/server/depositing/place.ts";
import { cleanUp, create, createFolder, startWith, until } from "../attesting/witnessed.ts";
import { type BucketServer, credentials, startBucketServer } from "./bucket-server.ts";
import { signed, verify } from "./kept.ts";

let server: BucketServer;
const before = { ...process.env };
beforeAll(() => {
  server = startBucketServer();
  process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
  for (const name of ["AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"]) delete process.env[name];
});
afterAll(async () => {
  process.env = before;
  await server.stop();
});
afterEach(async () => {
  server.fail(undefined);
  await cleanUp();
});

const name = "memledger/019a2b3c5f1e7a608192a3b4c5d6e7f8/2/000000000001-000000000002.jsonl";
function fileOf(text: string): SpooledFile {
  const path = join(createFolder(), "file");
  writeFileSync(path, text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { name, path, bytes: Buffer.byteLength(text), sha256 };
}
let buckets = 0;
function placeOf(fields: { endpoint?: string; timeoutMs?: number; secretAccessKey?: string } = {}) {
  const { endpoint = server.url, timeoutMs = 60_000, secretAccessKey = credentials.secretAccessKey } = fields;
  const bucket = `bucket-${++buckets}`;
  const settings = {
    name: `s3://${bucket}/a b`,
    bucket,
    prefix: "a b/",
    endpoint,
    region: "us-east-1",
    days: 30,
  };
  const place = createBucketPlace(
    { ...settings, timeoutMs, credentials: { ...credentials, secretAccessKey } },
    createClock(),
  );
  return { place, key: `/${bucket}/a%20b/${name}` };
}
const never = new AbortController().signal;

test("a file is locked until its day, and its version is known", async () => {
  const { place, key } = placeOf();
  const file = fileOf("one\n");
  const answer = await place.keep(file, never);
  const stored = server.objects.get(key);
  expect(stored).toMatchObject({
    mode: "COMPLIANCE",
    checksum: Buffer.from(file.sha256, "hex").toString("base64"),
  });
  expect(answer).toEqual({
    version_id: stored?.version ?? "",
    checksum_sha256: stored?.checksum ?? "",
    retain_until: stored?.until ?? "",
  });
  const days = (Date.parse(stored?.until ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30);
  // As after an end before the answer was stored.
  expect(await place.keep(file, never)).toEqual(answer);
  const other = place.keep(fileOf("two\n"), never);
  await expect(other).rejects.toBeInstanceOf(AttestationRefused);
  await expect(other).rejects.toThrow("has another content than the file that is to be kept under this name");
  expect(server.objects.get(key)).toEqual(stored as never);
});

const answers = [
  [400, "InvalidRequest", "The bucket has no Object Lock"],
  [403, "AccessDenied", "Allow s3:PutObject"],
  [403, "RequestTimeTooSkewed", "The clock of this machine differs"],
  [404, "NoSuchBucket", "There is no such bucket"],
  [409, "ConditionalRequestConflict", "It is sent again."],
  [301, "PermanentRedirect", "The bucket is in another region. Set AWS_REGION"],
  [500, "InternalError", "It is sent again."],
  [503, "SlowDown", "It is sent again."],
] as const;
for (const [status, code, said] of answers)
  test(`the answer ${status} ${code} keeps nothing, and is said with what to do`, async () => {
    const { place, key } = placeOf();
    server.fail({ status, code });
    const kept = place.keep(fileOf("one\n"), never);
    await expect(kept).rejects.toThrow(`has answered ${status} (${code}). ${said}`);
    await expect(kept).rejects.not.toBeInstanceOf(AttestationRefused);
    expect(server.objects.has(key)).toBe(false);
  });

test("a server that does not answer, or is not there, keeps nothing for now", async () => {
  server.fail(null);
  await expect(placeOf({ timeoutMs: 50 }).place.keep(fileOf("one\n"), never)).rejects.toThrow("timed out");
  const ending = new AbortController();
  const stopped = placeOf().place.keep(fileOf("one\n"), ending.signal);
  ending.abort();
  await expect(stopped).rejects.toThrow();
  await expect(
    placeOf({ endpoint: "http://127.0.0.1:9" }).place.keep(fileOf("one\n"), never),
  ).rejects.toThrow();
});

test("a wrong secret is refused, and not printed", async () => {
  const kept = placeOf({ secretAccessKey: "a-wrong-secret" }).place.keep(fileOf("one\n"), never);
  await expect(kept).rejects.toThrow("Correct AWS_SECRET_ACCESS_KEY.");
  await expect(kept).rejects.not.toThrow("a-wrong-secret");
});

test("a bucket that forgets the lock is refused", async () => {
  const forgetful = startBucketServer();
  forgetful.forgetLocks();
  const kept = placeOf({ endpoint: forgetful.url }).place.keep(fileOf("one\n"), never);
  await expect(kept).rejects.toThrow("Give --keep a bucket that was created with Object Lock");
  await forgetful.stop();
});

test("the records of a server are kept in a bucket, also after it has refused them", async () => {
  const app = await startWith([], { keep: "s3://ledger/prefix", "keep-s3-endpoint": server.url });
  server.fail({ status: 403, code: "AccessDenied" });
  await create(app);
  const { chain, size } = await signed(app);
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(app.complaints[0]).toContain("s3://ledger/prefix has answered 403 (AccessDenied)");
  expect(app.complaints.join()).not.toContain(credentials.secretAccessKey);
  server.fail(undefined);
  app.passTime(700_000);
  const isOfChain = (key: string) => key.startsWith(`/ledger/prefix/memledger/${chain}/2/`);
  const last = `-${String(size).padStart(12, "0")}.jsonl`;
  await until(app, async () =>
    [...server.objects.keys()].some((key) => isOfChain(key) && key.endsWith(last)) ? true : null,
  );
  const copy = createFolder();
  for (const [key, { body }] of server.objects)
    if (key.startsWith("/ledger/prefix/"))
      await Bun.write(join(copy, key.slice("/ledger/prefix/".length)), body);
  const found = await verify(copy, join(app.config.dataDir, "audit.pub"));
  expect([found.verdict, found.failure]).toEqual(["unattested", null]);
  expect(found.chains.find((each) => each.chain === chain)?.last_seq).toBeGreaterThanOrEqual(size);
});
