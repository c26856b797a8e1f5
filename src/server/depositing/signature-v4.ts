// Owns the signature of a request to a server of buckets (AWS Signature Version 4, with the headers Authorization and X-Amz-Date). Pure.

import { createHash, createHmac } from "node:crypto";

export interface Credentials {
  readonly accessKeyId: string;
  /** Never printed. */
  readonly secretAccessKey: string;
  /** Null: the credentials are not temporary. Never printed. */
  readonly sessionToken: string | null;
}

interface Unsigned {
  readonly method: string;
  /** Its path is encoded as S3 expects: each byte that is not unreserved, once. */
  readonly url: URL;
  /** All of them are signed, and Host. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in hexadecimal. */
  readonly sha256: string;
}

interface Scope {
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** @returns the headers with those of the signature */
export function signRequest(
  { method, url, headers, sha256 }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { region, service, at }: Scope,
): Record<string, string> {
  const time = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    "x-amz-date": time,
    ...(sessionToken === null ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, " ")] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname,
    queryOf(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    sha256,
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`;
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  return {
    ...sent,
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function queryOf(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The path of a key of a bucket, below a bucket if that is in the path. */
export function encodePath(path: string): string {
  return path.split("/").map(encode).join("/");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
