// Tests secrets: how they are made, and which texts have their form.

import { expect, test } from "bun:test";
import {
  createAdministrationSecret,
  createSecret,
  digestSecret,
  hasSecret,
  hideSecrets,
  isAdministrationSecret,
  isOwnCredential,
  isSecret,
  mayContainSecret,
} from "../../src/access/key.ts";

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

test("the two kinds of keys are told apart, and both are secrets", () => {
  const administration = createAdministrationSecret();
  expect(administration).toMatch(/^mla_[0-9A-Za-z]{43}$/);
  expect([isAdministrationSecret(administration), isSecret(administration)]).toEqual([true, false]);
  expect([isAdministrationSecret(secret), isSecret(secret)]).toEqual([false, true]);
  for (const each of [secret, administration]) {
    expect([hasSecret(`key ${each}.`), isOwnCredential(`Bearer ${each}`), mayContainSecret(each)]).toEqual(
      Array(3).fill(true),
    );
    expect(isOwnCredential(`Bearer ${each.slice(0, 9)}`)).toBe(true);
    expect(hideSecrets(`${each} and ${each}`)).toBe("(secret) and (secret)");
  }
  for (const text of ["a html_page", "mlx_1", "mlb_a", "the file ml_notes"])
    expect(hideSecrets(text)).toBe(text);
});
