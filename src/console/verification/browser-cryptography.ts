// Owns the cryptography of the browser: SHA-256 and Ed25519 in JavaScript.
//
// Why not WebCrypto: it cannot hash a stream, so a file of gigabytes would have to be in memory; its hashes arrive later, while the checks
// read on; and browsers offer it only to pages from this machine or over TLS.

import { hashes, verify } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Cryptography, hashBytes, type Sha256 } from "../../audit/verify/cryptography.ts";

// The library has no hash of its own.
hashes.sha512 = sha512;

const utf8 = new TextEncoder();
/** Texts are encoded here, so that none needs memory of its own. */
const encoded = new Uint8Array(65_536);
const begun = sha256.create();

/** Its state is used again, because a record has many short hashes. */
function createSha256(): Sha256 & { digestInto(target: Uint8Array): void } {
  const hash = sha256.create();
  return {
    update(part) {
      if (typeof part !== "string") {
        hash.update(part);
        return this;
      }
      for (let rest = part; rest !== ""; ) {
        const { read, written } = utf8.encodeInto(rest, encoded);
        hash.update(encoded.subarray(0, written));
        rest = read === rest.length ? "" : rest.slice(read);
      }
      return this;
    },
    digest() {
      const digest = new Uint8Array(hashBytes);
      this.digestInto(digest);
      return bytesToHex(digest);
    },
    digestInto(target) {
      hash.digestInto(target);
      begun._cloneInto(hash);
    },
  };
}

const short = createSha256();

export const browserCryptography: Cryptography = {
  createSha256,
  hashInto(bytes, target) {
    short.update(bytes);
    short.digestInto(target);
  },
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
