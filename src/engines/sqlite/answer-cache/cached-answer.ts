// Owns the bytes of a cached answer, and the seal that tells whether they are what was stored. Must never return what the seal does not cover.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { AnswerKey, CachedAnswer } from "../../../calls/storage/answer-cache.ts";
import { isObject } from "../../../platform/json/json.ts";

/** Everything that is stored of an answer, except its seal. */
export interface SealedFields {
  readonly digest: string;
  readonly project: string;
  readonly keyId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly content: Uint8Array;
}

/** The head of an answer as JSON, a line feed, and the body. */
export function toContent({ body, ...head }: CachedAnswer): Uint8Array {
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  return Buffer.concat([line, body]);
}

/** Null: the bytes were not made by `toContent`. */
export function fromContent(content: Uint8Array): CachedAnswer | null {
  const end = content.indexOf(lineFeed);
  if (end === -1) return null;
  const head = parse(new TextDecoder().decode(content.subarray(0, end)));
  if (!isObject(head)) return null;
  const { status, headers, record } = head;
  if (typeof status !== "number" || typeof record !== "string" || !isHeaders(headers)) return null;
  return { status, headers, record, body: content.slice(end + 1) };
}

const lineFeed = 0x0a;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isHeaders(value: unknown): value is CachedAnswer["headers"] {
  return (
    Array.isArray(value) &&
    value.every((each: unknown) => {
      return Array.isArray(each) && each.length === 2 && each.every((text) => typeof text === "string");
    })
  );
}

/** HMAC-SHA-256 over all fields, with a key that only the database has: a row of another installation, or a moved one, has another seal. */
export function sealOf(secret: Uint8Array, { content, ...fields }: SealedFields): Uint8Array {
  const seal = createHmac("sha256", secret);
  const { digest, project, keyId, createdAt, expiresAt } = fields;
  seal.update(JSON.stringify([digest, project, keyId, createdAt, expiresAt]));
  seal.update(content);
  return seal.digest();
}

export function isSeal(stored: Uint8Array, seal: Uint8Array): boolean {
  return stored.length === seal.length && timingSafeEqual(stored, seal);
}

export function fieldsOf(
  { digest, project, keyId }: AnswerKey,
  { createdAt, expiresAt, content }: Omit<SealedFields, keyof AnswerKey>,
): SealedFields {
  return { digest, project, keyId, createdAt, expiresAt, content };
}
