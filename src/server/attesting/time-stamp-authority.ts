// Owns asking a time stamp authority (RFC 3161, section 3.4) for a time stamp of a checkpoint, over HTTP. Must never return one that it has not
// verified.

import { X509Certificate } from "node:crypto";
import { textOfNote } from "../../audit/verify/note.ts";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { explainedAs } from "../../platform/files/system-error.ts";
import { AttestationRefused, type Party } from "./destination.ts";
import { rootsMaxBytes } from "./limits.ts";
import { post } from "./post.ts";

interface AuthoritySettings {
  readonly url: string;
  /** Path of a PEM file; null: time stamps are followed to no root. */
  readonly roots: string | null;
  readonly everyMs: number;
}

/** @throws Error that says what to do when the roots cannot be read */
export function createTimeStampAuthority({ url, roots: path, everyMs }: AuthoritySettings): Party {
  const { host } = new URL(url);
  const pem = path === null ? null : readRoots(path);
  return {
    kind: "timestamp",
    source: host,
    name: host,
    everyMs,
    async attest({ note }, signal) {
      const { createRequest, readRequest } = await import("../../audit/timestamp/request.ts");
      const { readResponse } = await import("../../audit/timestamp/response.ts");
      const { verifyToken } = await import("../../audit/timestamp/token.ts");
      const { readPem } = await import("../../audit/timestamp/certificates.ts");
      const text = textOfNote(note);
      const bytes = await createRequest(text);
      const { status, mediaType, body } = await post(url, "application/timestamp-query", bytes, signal);
      if (status !== 200 || mediaType !== "application/timestamp-reply") {
        const found = mediaType === "" ? "" : ` and the media type ${mediaType.slice(0, 100)}`;
        throw new Error(
          `${url} has answered ${status}${found}: check that timestamp-url is that of a time stamp authority (RFC 3161)`,
        );
      }
      const token = readResponse(body);
      if (typeof token === "string") throw refused(host, token);
      const roots = pem === null ? null : readPem(pem);
      const stamp = await verifyToken(token, text, { request: readRequest(bytes), roots });
      if (typeof stamp === "string") throw refused(host, stamp);
      return Buffer.from(token).toString("base64");
    },
  };
}

function refused(host: string, reason: string): AttestationRefused {
  return new AttestationRefused(`the answer of ${host} cannot be used: ${reason}`);
}

function readRoots(path: string): string {
  try {
    const pem = readRegularText(path, rootsMaxBytes);
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    if (blocks.length > 0 && blocks.every(isCertificate)) return pem;
  } catch (error) {
    throw explainedAs(`The file ${path} of timestamp-roots cannot be read`, error);
  }
  throw new Error(
    `${path} is not a file of certificates in PEM. Correct timestamp-roots: name the file with the roots of the time stamp authority.`,
  );
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
