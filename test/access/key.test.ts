// Tests secrets: how they are made, and what of an Authorization header is taken for one.

import { describe, expect, test } from "bun:test";
import { createSecret, digestSecret, secretFrom } from "../../src/access/key.ts";

const secret = `ml_${"aZ09".repeat(10)}xyz`;

test("secrets have one form and never repeat", () => {
  const secrets = Array.from({ length: 2_000 }, createSecret);
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const each of secrets) expect(each).toMatch(/^ml_[0-9A-Za-z]{43}$/);
  // All 62 characters occur, so none of the 256 bits is lost in writing them down.
  expect(new Set(secrets.join("").replaceAll("ml_", "")).size).toBe(62);
});

test("a digest is SHA-256 of the secret's text", () => {
  expect(Buffer.from(digestSecret(secret)).toString("hex")).toBe(
    new Bun.CryptoHasher("sha256").update(secret).digest("hex"),
  );
});

describe("an Authorization header", () => {
  test.each<[string, string | null, string | null]>([
    ["as documented", `Bearer ${secret}`, secret],
    ["in lower case", `bearer ${secret}`, secret],
    ["in capitals, with spaces", `BEARER   ${secret}  `, secret],
    ["that is missing", null, null],
    ["that is empty", "", null],
    ["of another scheme", `Basic ${secret}`, null],
    ["without a scheme", secret, null],
    ["without a space", `Bearer${secret}`, null],
    ["sent twice", `Bearer ${secret}, Bearer ${secret}`, null],
    ["with a key that is too short", `Bearer ${secret.slice(0, -1)}`, null],
    ["with a key that is too long", `Bearer ${secret}x`, null],
    ["with another prefix", `Bearer sk_${secret.slice(3)}`, null],
    ["with a line break", `Bearer ${secret}\n`, null],
    ["with a tab", `Bearer\t${secret}`, null],
    ["of a megabyte", `Bearer ${"x".repeat(1_000_000)}`, null],
  ])("%s", (_, header, expected) => {
    expect(secretFrom(header)).toBe(expected);
  });
});
