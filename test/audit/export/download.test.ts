// Proves that files are served as RFC 9110 asks: parts, conditions, HEAD.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { exportAll, fatten, send, type Target } from "./exporting.ts";

let app: TestApp;
let target: Target;
let path = "";
let text = "";
let tag = "";

beforeAll(async () => {
  app = await startTestApp();
  target = { url: app.url, key: app.apiKey };
  await fatten(target, 5, 200);
  const made = await exportAll(target);
  text = made.text;
  tag = `"${made.detail.sha256}"`;
  path = `/v1/audit/logs/export/${made.id}/download`;
});
afterAll(() => app.stop());

const get = (headers: Record<string, string>) => send(target, "GET", path, { headers });

test("the whole file comes with its name, type and tag", async () => {
  const { headers, status } = await get({});
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="audit-[0-9a-f-]{36}\.csv"$/);
  expect(headers.get("content-length")).toBe(String(text.length));
  expect(headers.get("etag")).toBe(tag);
  expect(headers.get("accept-ranges")).toBe("bytes");
  const manifest = await send(target, "GET", path.replace("/download", "/manifest"));
  expect(manifest.headers.get("content-disposition")).toMatch(
    /filename="audit-[0-9a-f-]{36}\.csv\.manifest"$/,
  );
  expect(manifest.headers.get("etag")).not.toBe(tag);
});

test.each<[string, number, number]>([
  ["bytes=0-0", 0, 1],
  ["bytes=10-19", 10, 20],
  ["bytes=10-", 10, Number.POSITIVE_INFINITY],
  ["bytes=-7", -7, Number.POSITIVE_INFINITY],
  ["bytes=-999999999", 0, Number.POSITIVE_INFINITY],
  ["bytes=5-999999999", 5, Number.POSITIVE_INFINITY],
  ["Bytes = 3-4", 3, 5],
])("Range %s is answered with that part", async (range, start, end) => {
  const response = await get({ Range: range });
  const part = text.slice(start, end);
  expect([response.status, await response.text()]).toEqual([206, part]);
  const first = start < 0 ? text.length + start : start;
  expect(response.headers.get("content-range")).toBe(
    `bytes ${first}-${first + part.length - 1}/${text.length}`,
  );
  expect(response.headers.get("content-length")).toBe(String(part.length));
});

test.each(["bytes=999999999-", "bytes=-0"])("Range %s cannot be satisfied", async (range) => {
  const response = await get({ Range: range });
  expect([response.status, await response.text()]).toEqual([416, ""]);
  expect(response.headers.get("content-range")).toBe(`bytes */${text.length}`);
});

test.each(["bytes=5-2", "lines=0-1", "bytes=a-b", "bytes=-", "bytes=0-1,4-5", "0-1"])(
  "Range %s is ignored",
  async (range) => {
    const response = await get({ Range: range });
    expect([response.status, await response.text()]).toEqual([200, text]);
  },
);

test("parts put together are the file", async () => {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += 1_000) {
    parts.push(await (await get({ Range: `bytes=${start}-${start + 999}` })).text());
  }
  expect(parts.join("")).toBe(text);
});

test("If-Range gives the part of this content only, If-None-Match nothing when the client has it", async () => {
  expect((await get({ Range: "bytes=0-9", "If-Range": tag })).status).toBe(206);
  expect((await get({ Range: "bytes=0-9", "If-Range": '"another"' })).status).toBe(200);
  expect((await get({ Range: "bytes=0-9", "If-Range": `W/${tag}` })).status).toBe(200);
  expect((await get({ Range: "bytes=0-9", "If-Range": "Sat, 21 Nov 2026 09:30:00 GMT" })).status).toBe(200);
  for (const header of [tag, `W/${tag}`, `"a", ${tag}`, "*"]) {
    expect([header, (await get({ "If-None-Match": header })).status]).toEqual([header, 304]);
  }
  expect((await get({ "If-None-Match": '"another"' })).status).toBe(200);
});

test("HEAD tells the size, ignores Range and sends nothing", async () => {
  const request = [
    `HEAD ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${app.apiKey}`,
    "Range: bytes=0-9",
    "Connection: close",
  ];
  const answer = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(app.port, "127.0.0.1", () => socket.write(`${request.join("\r\n")}\r\n\r\n`));
    socket.on("data", (data) => {
      received += data.toString();
    });
    socket.on("close", () => resolve(received));
  });
  const [head = "", body] = answer.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(head.toLowerCase()).toContain(`content-length: ${text.length}`);
  expect(body).toBe("");
});
