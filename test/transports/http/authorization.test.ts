// Tests what of an Authorization header is taken for the secret of a key.

import { describe, expect, test } from "bun:test";
import { readSecret } from "../../../src/transports/http/sender.ts";

const secret = `ml_${"aZ09".repeat(10)}xyz`;

describe("an Authorization header", () => {
  test.each<[string, string | null, string | null]>([
    ["as documented", `Bearer ${secret}`, secret],
    ["in lower case", `bearer ${secret}`, secret],
    ["in capitals, with spaces", `BEARER   ${secret}  `, secret],
    ["that is missing", null, null],
    ["that is empty", "", ""],
    ["of another scheme", `Basic ${secret}`, ""],
    ["without a scheme", secret, ""],
    ["without a space", `Bearer${secret}`, ""],
    ["sent twice", `Bearer ${secret}, Bearer ${secret}`, ""],
    ["with a key that is too short", `Bearer ${secret.slice(0, -1)}`, ""],
    ["with a key that is too long", `Bearer ${secret}x`, ""],
    ["with another prefix", `Bearer sk_${secret.slice(3)}`, ""],
    ["with a line break", `Bearer ${secret}\n`, ""],
    ["with a tab", `Bearer\t${secret}`, ""],
    ["of a megabyte", `Bearer ${"x".repeat(1_000_000)}`, ""],
  ])("%s", (_, header, expected) => {
    expect(readSecret(header)).toBe(expected);
  });
});
