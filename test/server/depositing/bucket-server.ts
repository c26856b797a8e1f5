// A server of buckets for tests: Object Lock, versions, and signatures that are checked against what arrives. Must never be a part of the product.

import { createHash } from "node:crypto";
import { type Credentials, signRequest } from "../../../src/server/depositing/signature-v4.ts";

export const credentials: Credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};

export interface StoredObject {
  readonly body: Buffer;
  readonly version: string;
  readonly mode: string | null;
  readonly until: string | null;
  readonly checksum: string | null;
}

export interface BucketServer {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Requests that have arrived: method and path. */
  readonly requests: readonly string[];
  /** What is answered in place of the truth: `answer` null answers never; undefined: the truth again. */
  fail(answer: { readonly status: number; readonly code: string } | null | undefined): void;
  /** Whether locks are forgotten, as a server without Object Lock may do. */
  forgetLocks(): void;
  stop(): Promise<void>;
}

export function startBucketServer(): BucketServer {
  const objects = new Map<string, StoredObject>();
  const requests: string[] = [];
  let failure: { readonly status: number; readonly code: string } | null | undefined;
  let hasLocks = true;
  let versions = 0;
  const refuse = (status: number, code: string) =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, { status });
  const put = (key: string, headers: Headers, body: Buffer): Response => {
    if (headers.get("if-none-match") === "*" && objects.has(key)) return refuse(412, "PreconditionFailed");
    const checksum = createHash("sha256").update(body).digest("base64");
    if (headers.get("x-amz-checksum-sha256") !== checksum) return refuse(400, "BadDigest");
    const mode = hasLocks ? headers.get("x-amz-object-lock-mode") : null;
    const until = hasLocks ? headers.get("x-amz-object-lock-retain-until-date") : null;
    const version = `version-${++versions}`;
    objects.set(key, { body, version, mode, until, checksum });
    return new Response(null, { headers: { "x-amz-version-id": version } });
  };
  const head = (key: string): Response => {
    const found = objects.get(key);
    if (found === undefined) return new Response(null, { status: 404 });
    const { mode, until, checksum, version } = found;
    const lock = mode === null || until === null ? {} : lockHeaders(mode, until);
    const headers = { "x-amz-version-id": version, "x-amz-checksum-sha256": checksum ?? "", ...lock };
    return new Response(null, { headers });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      requests.push(`${request.method} ${pathname}`);
      const body = Buffer.from(await request.arrayBuffer());
      if (failure === null) return new Promise<Response>(() => {});
      if (failure !== undefined) return refuse(failure.status, failure.code);
      if (!isSigned(request, body)) return refuse(403, "SignatureDoesNotMatch");
      return request.method === "PUT" ? put(pathname, request.headers, body) : head(pathname);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    objects,
    requests,
    fail(answer) {
      failure = answer;
    },
    forgetLocks() {
      hasLocks = false;
    },
    stop: () => server.stop(true),
  };
}

function lockHeaders(mode: string, until: string) {
  return { "x-amz-object-lock-mode": mode, "x-amz-object-lock-retain-until-date": until };
}

/** Signs again what has arrived. The signature itself is compared with published vectors. */
function isSigned({ method, url, headers }: Request, body: Buffer): boolean {
  const given = headers.get("authorization") ?? "";
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(";") ?? [];
  const time = headers.get("x-amz-date") ?? "";
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const signed = names.filter((name) => !["host", "x-amz-date"].includes(name));
  const sha256 = createHash("sha256").update(body).digest("hex");
  const request = {
    method,
    url: new URL(url),
    headers: Object.fromEntries(signed.map((name) => [name, headers.get(name) ?? ""])),
    sha256,
  };
  const again = signRequest(request, credentials, { region: "us-east-1", service: "s3", at });
  const isWhole = headers.get("x-amz-content-sha256") === sha256;
  return isWhole && names.includes("host") && again.Authorization === given;
}
