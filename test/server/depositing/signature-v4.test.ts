// Signatures of requests to buckets: the examples that Amazon has published, of the test suite of Signature Version 4 and of the manual of S3.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { signRequest } from "../../../src/server/depositing/signature-v4.ts";
import { credentials } from "./bucket-server.ts";

const empty = createHash("sha256").digest("hex");
const suite = { region: "us-east-1", service: "service", at: Date.UTC(2015, 7, 30, 12, 36) };
const manual = { region: "us-east-1", service: "s3", at: Date.UTC(2013, 4, 24) };
const manualCredentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const welcome = createHash("sha256").update("Welcome to Amazon S3.").digest("hex");

const vectors = [
  [
    "get-vanilla",
    suite,
    "GET",
    "https://example.amazonaws.com/",
    {},
    empty,
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "get-vanilla-query-order-key-case",
    suite,
    "GET",
    "https://example.amazonaws.com/?Param2=value2&Param1=value1",
    {},
    empty,
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "GET Object",
    manual,
    "GET",
    "https://examplebucket.s3.amazonaws.com/test.txt",
    { Range: "bytes=0-9", "x-amz-content-sha256": empty },
    empty,
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "PUT Object",
    manual,
    "PUT",
    "https://examplebucket.s3.amazonaws.com/test%24file.text",
    {
      Date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      "x-amz-content-sha256": welcome,
    },
    welcome,
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "GET Bucket (List Objects)",
    manual,
    "GET",
    "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
    { "x-amz-content-sha256": empty },
    empty,
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
] as const;

for (const [name, scope, method, url, headers, sha256, signature] of vectors)
  test(`${name} has the signature that is published`, () => {
    const request = { method, url: new URL(url), headers, sha256 };
    const signed = signRequest(request, scope === suite ? credentials : manualCredentials, scope);
    expect(signed.Authorization).toEndWith(`Signature=${signature}`);
  });

test("a temporary key sends and signs its token, and no header has the secret", () => {
  const request = { method: "GET", url: new URL("https://example.com/"), headers: {}, sha256: empty };
  const signed = signRequest(request, { ...credentials, sessionToken: "token" }, suite);
  expect(signed["x-amz-security-token"]).toBe("token");
  expect(signed.Authorization).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token,");
  expect(JSON.stringify(signed)).not.toContain(credentials.secretAccessKey);
});
