// Owns keeping files in a bucket with Object Lock (S3): each is locked in COMPLIANCE mode, so nobody can delete or replace it before its time, not even the
// operator. Must never follow a redirect, use a proxy from the environment, or show a secret.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { JsonObject } from "../../platform/json/json.ts";
import { withoutProxy } from "../../platform/native/direct-fetch.ts";
import { type Clock, dayMs } from "../../platform/time/clock.ts";
import { AttestationRefused } from "../attesting/destination.ts";
import { depositTimeoutMs, saidMaxCharacters } from "./limits.ts";
import { type DepositPlace, otherFileMessage, type SpooledFile } from "./place.ts";
import { type Credentials, encodePath, signRequest } from "./signature-v4.ts";

export interface BucketSettings {
  /** As the settings name it. */
  readonly name: string;
  readonly bucket: string;
  readonly prefix: string;
  /** Null: Amazon S3. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly days: number;
  readonly credentials: Credentials;
  readonly timeoutMs?: number;
}

interface BucketAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Of an error; "" otherwise. */
  readonly code: string;
}

type Send = (
  method: "PUT" | "HEAD",
  name: string,
  headers: Readonly<Record<string, string>>,
  body: SignedBody | null,
  signal: AbortSignal,
) => Promise<BucketAnswer>;

interface SignedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Hexadecimal. */
  readonly sha256: string;
}

const emptySha256 = createHash("sha256").digest("hex");

export function createBucketPlace(settings: BucketSettings, clock: Clock): DepositPlace {
  const { name, days } = settings;
  const send = createSender(settings, clock);

  /** What the bucket has under the name, in which version, and until when it is locked. */
  const confirm = async (
    file: SpooledFile,
    version: string | null,
    signal: AbortSignal,
  ): Promise<JsonObject> => {
    const checksum = base64Of(file.sha256);
    const found = await send("HEAD", file.name, { "x-amz-checksum-mode": "ENABLED" }, null, signal);
    if (found.status !== 200) throw failure(`${name} has kept ${file.name}, but`, found);
    const { headers } = found;
    const known = headers.get("x-amz-checksum-sha256");
    if (known !== null ? known !== checksum : Number(headers.get("content-length")) !== file.bytes)
      throw new AttestationRefused(otherFileMessage(`${name}/${file.name}`));
    const mode = headers.get("x-amz-object-lock-mode");
    const until = headers.get("x-amz-object-lock-retain-until-date");
    const versionId = version ?? headers.get("x-amz-version-id");
    if (mode !== "COMPLIANCE" || until === null || versionId === null)
      throw new Error(
        `${name} does not lock what it keeps (${mode ?? "no mode"}). Give --keep a bucket that was created with Object Lock, and allow s3:GetObjectRetention.`,
      );
    return { version_id: versionId, checksum_sha256: checksum, retain_until: until };
  };

  return {
    name: settings.endpoint === null ? name : `${name} ${settings.endpoint}`,
    async keep(file, signal) {
      const body = new Uint8Array(await readFile(file.path));
      const sent = await send(
        "PUT",
        file.name,
        {
          "content-type": "application/x-ndjson",
          "content-md5": createHash("md5").update(body).digest("base64"),
          "if-none-match": "*",
          "x-amz-checksum-sha256": base64Of(file.sha256),
          "x-amz-sdk-checksum-algorithm": "SHA256",
          "x-amz-object-lock-mode": "COMPLIANCE",
          "x-amz-object-lock-retain-until-date": new Date(clock.now() + days * dayMs).toISOString(),
        },
        { bytes: body, sha256: file.sha256 },
        signal,
      );
      // 412: it was sent before, and the server ended before it had stored the answer.
      if (sent.status !== 200 && sent.status !== 412) throw failure(name, sent);
      return confirm(file, sent.status === 200 ? sent.headers.get("x-amz-version-id") : null, signal);
    },
  };
}

function createSender(
  { bucket, prefix, endpoint, region, credentials, timeoutMs = depositTimeoutMs }: BucketSettings,
  clock: Clock,
): Send {
  const base = endpoint?.replace(/\/+$/, "") ?? `https://${bucket}.s3.${region}.amazonaws.com`;
  const folder = endpoint === null ? "" : `/${bucket}`;
  return async (method, name, headers, body, signal) => {
    const url = new URL(base + encodePath(`${folder}/${prefix}${name}`));
    const sha256 = body?.sha256 ?? emptySha256;
    const signed = signRequest(
      { method, url, headers: { ...headers, "x-amz-content-sha256": sha256 }, sha256 },
      credentials,
      { region, service: "s3", at: clock.now() },
    );
    const init: RequestInit = {
      method,
      ...(body === null ? {} : { body: body.bytes }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: { ...signed, "User-Agent": "memledger" },
      redirect: "manual",
    };
    const response = await fetch(url, withoutProxy(init));
    const text = response.ok ? "" : await beginningOf(response);
    await response.body?.cancel().catch(() => undefined);
    const code = /<Code>([A-Za-z0-9]{1,100})<\/Code>/.exec(text)?.[1] ?? "";
    return { status: response.status, headers: response.headers, code };
  };
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > saidMaxCharacters) break;
  }
  return text;
}

function failure(name: string, { status, code }: BucketAnswer): Error {
  const remedy = remedies[code] ?? remedies[String(status)] ?? "It is sent again.";
  return new Error(`${name} has answered ${status}${code === "" ? "" : ` (${code})`}. ${remedy}`);
}

const withoutLock =
  "The bucket has no Object Lock, which is turned on when a bucket is created. Create one: aws s3api create-bucket --object-lock-enabled-for-bucket --bucket NAME";
const remedies: Readonly<Record<string, string>> = {
  InvalidRequest: withoutLock,
  ObjectLockConfigurationNotFoundError: withoutLock,
  NoSuchBucket: "There is no such bucket. Correct --keep, or create it with Object Lock.",
  RequestTimeTooSkewed: "The clock of this machine differs from that of the bucket. Correct it.",
  SignatureDoesNotMatch: "The secret is not that of the key. Correct AWS_SECRET_ACCESS_KEY.",
  InvalidAccessKeyId: "The key is not known. Correct AWS_ACCESS_KEY_ID.",
  301: "The bucket is in another region. Set AWS_REGION.",
  307: "The bucket is in another region. Set AWS_REGION.",
  403: "Allow s3:PutObject, s3:PutObjectRetention, s3:GetObject and s3:GetObjectRetention to the key in AWS_ACCESS_KEY_ID.",
  404: "There is no such bucket. Correct --keep, or create it with Object Lock.",
};

function base64Of(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}
