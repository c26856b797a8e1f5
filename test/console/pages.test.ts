// Tests how the console is served: which addresses are pages, what browsers may keep, in which form files are sent, and that nothing else is
// loaded.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { addresses } from "../../src/console/addresses.ts";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { chooseCoding } from "../../src/transports/http/console/content-coding.ts";
import { contentSecurityPolicy } from "../../src/transports/http/console/pages.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  // `decompress: false` shows the bytes as they were sent.
  fetch(`${app.url}${path}`, { method, headers, redirect: "manual", decompress: false });

async function codeOf(answer: Response): Promise<Json | undefined> {
  const envelope: Json = JSON.parse(await answer.text());
  return isObject(envelope) ? envelope.code : undefined;
}

/** Names of the files that the page loads. */
async function loaded(): Promise<string[]> {
  const html = await (await get("/console/", { ...browser, "accept-encoding": "identity" })).text();
  return [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => path !== "/docs");
}

test("every address of the table is the page, with the policy, and is asked for again each time", async () => {
  const pages = new Set<string>();
  for (const { path } of Object.values(addresses)) {
    const response = await get(path.replace(":project", "prj_x"), { "accept-encoding": "identity" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("content-security-policy")).toBe(contentSecurityPolicy);
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    pages.add(await response.text());
  }
  expect(pages.size).toBe(1);
  expect(contentSecurityPolicy).not.toContain("unsafe");
  const [page = ""] = pages;
  expect(page).not.toMatch(/<style|<script(?![^>]* src=)|style="|\son\w+="/);
});

test("other paths are the page with status 404 for browsers, and an answer of the API for programs", async () => {
  for (const path of ["/console/nothing", "/console/projects/prj_x/nothing", "/console/projects/prj_x"]) {
    const page = await get(path, { ...browser, "accept-encoding": "identity" });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const answer = await get(path);
    expect([answer.status, await codeOf(answer)]).toEqual([404, 1404]);
  }
  const outside = await get("/nothing", browser);
  expect(outside.headers.get("content-type")).toBe("application/json");
  expect((await get("/console/nothing", browser, "POST")).headers.get("content-type")).toBe(
    "application/json",
  );
});

test("/ leads browsers to the console, and nobody else", async () => {
  const led = await get("/", browser);
  expect([led.status, led.headers.get("location"), led.headers.get("vary")]).toEqual([
    302,
    "/console/",
    "Accept",
  ]);
  for (const accept of ["*/*", "application/json"]) {
    const answer = await get("/", { accept });
    expect([answer.status, await codeOf(answer)]).toEqual([404, 1404]);
  }
  expect((await get("/console")).headers.get("location")).toBe("/console/");
});

test("files are kept for a year, and sent in the smallest form that is accepted", async () => {
  const paths = await loaded();
  expect(paths.length).toBe(3);
  for (const path of paths) {
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(plain.status).toBe(200);
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("content-type")).toMatch(/^text\/(javascript|css); charset=utf-8$/);
    const bytes = Buffer.from(await plain.arrayBuffer());
    const gzip = await get(path, { "accept-encoding": "gzip, deflate" });
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gzip.headers.get("vary")).toBe("Accept-Encoding");
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).equals(bytes)).toBe(true);
    const brotli = await get(path, { "accept-encoding": "gzip, deflate, br, zstd" });
    expect(brotli.headers.get("content-encoding")).toBe("br");
    expect(brotliDecompressSync(Buffer.from(await brotli.arrayBuffer())).equals(bytes)).toBe(true);
  }
});

test("what a browser has is not sent again, and HEAD sends no body", async () => {
  const [path = ""] = await loaded();
  for (const each of [path, "/console/"]) {
    const first = await get(each, { "accept-encoding": "br" });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-z]+"$/);
    const second = await get(each, { "accept-encoding": "br", "if-none-match": `"x", W/${etag}` });
    expect([second.status, await second.text()]).toEqual([304, ""]);
    const other = await get(each, { "accept-encoding": "gzip", "if-none-match": etag });
    expect(other.status).toBe(200);
    const head = await get(each, { "accept-encoding": "br" }, "HEAD");
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  }
});

test("no file is served under another name, and none can be changed", async () => {
  for (const path of [
    "nothing.js",
    "index.html",
    "verifier.html",
    "licence.txt",
    "notices.txt",
    "..%2f..%2fpackage.json",
    "%2e%2e%2fmain.tsx",
    "main.tsx",
  ]) {
    const response = await get(`/console/assets/${path}`);
    expect([path, response.status]).toEqual([path, 404]);
  }
  const [path = ""] = await loaded();
  for (const method of ["POST", "PUT", "DELETE"]) {
    const response = await get(path, {}, method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
});

test("a coding is chosen by RFC 9110", () => {
  expect(chooseCoding(null)).toBe("identity");
  expect(chooseCoding("")).toBe("identity");
  expect(chooseCoding("*")).toBe("br");
  expect(chooseCoding("br;q=0, *")).toBe("gzip");
  expect(chooseCoding("GZIP; q=0.5")).toBe("gzip");
  expect(chooseCoding("br;q=abc, deflate")).toBe("identity");
});
