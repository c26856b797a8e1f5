// Owns the cryptography of the browser: SHA-256 and Ed25519 in JavaScript.
//
// Why not WebCrypto: it cannot hash a stream, so a file of gigabytes would have to be in memory; its hashes arrive later, while the checks
// read on; and browsers offer it only to pages from this machine or over TLS.

import { hashes, verify } from "@noble/ed25519";
import type { Cryptography } from "../../audit/verify/cryptography.ts";
import { Sha256, sha512 } from "./sha2.ts";

// The library has no hash of its own.
hashes.sha512 = sha512;

const utf8 = new TextEncoder();
const hasher = new Sha256();

export const browserCryptography: Cryptography = {
  createSha256: () => new Sha256(),
  hashInto: (bytes, target) => hasher.update(bytes).digestInto(target),
  isSignedBy(publicKey, signature, text) {
    try {
      // As in RFC 8032; the default of the library accepts more.
      return verify(signature, utf8.encode(text), publicKey, { zip215: false });
    } catch {
      // The public key is not a point of the curve.
      return false;
    }
  },
};
