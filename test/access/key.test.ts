// Tests secrets: how they are made, and which texts have their form.

import { expect, test } from "bun:test";
import { createSecret, digestSecret, isSecret } from "../../src/access/key.ts";

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

test("the form of a secret is known", () => {
  for (const each of [secret, createSecret()]) expect(isSecret(each)).toBe(true);
  for (const each of [
    "",
    secret.slice(0, -1),
    `${secret}x`,
    `sk_${secret.slice(3)}`,
    `${secret}\n`,
    ` ${secret}`,
  ])
    expect(isSecret(each)).toBe(false);
});
