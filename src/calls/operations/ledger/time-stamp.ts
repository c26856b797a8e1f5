// Owns the operation that stores the time stamp of a checkpoint, which a person got from an authority. Stores none that was not verified.

import { Type } from "@sinclair/typebox";
import type { TimeStamp } from "../../../audit/timestamp/token.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import { Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { fromBase64 } from "../../../platform/text/byte-text.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation } from "../../contract/operation.ts";
import type { AttestableCheckpoint } from "../../storage/attestation-store.ts";

interface Stamped {
  readonly checkpoint: AttestableCheckpoint;
  readonly stamp: TimeStamp;
  /** Base64 of the token. */
  readonly content: string;
}

export const addTimeStamp = installationOperation({
  name: "audit.timestamp",
  summary: "Store a time stamp of a checkpoint",
  description:
    "Verifies the answer of a time stamp authority (RFC 3161), and stores it with its checkpoint. Both are returned together from then on.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Fields({
    answer: Type.String({ description: "The answer of the authority (TimeStampResp in DER), in Base64." }),
    request: Type.Optional(
      Type.String({
        description:
          "The request (TimeStampReq in DER), in Base64: the answer must have its nonce. Without it, the nonce is not compared.",
      }),
    ),
  }),
  output: Fields({
    chain: Type.String({ description: "Identifier of the chain." }),
    size: Count("Number of records that the checkpoint covers."),
    time: Timestamp({ description: "These records existed at this time." }),
    accuracy_seconds: Nullable(
      Type.Number({ description: "The time may differ by so much; null: the authority does not say." }),
    ),
    authority: Type.String({
      description:
        "Subject of the certificate that has signed the time stamp. It was not checked against a root.",
    }),
  }),

  async prepare({ answer, request }, { store }): Promise<Stamped> {
    const { readResponse } = await import("../../../audit/timestamp/response.ts");
    const { readRequest } = await import("../../../audit/timestamp/request.ts");
    const { stampedBy, verifyToken } = await import("../../../audit/timestamp/token.ts");
    const token = readResponse(fromBase64(answer) ?? new Uint8Array());
    if (typeof token === "string") throw fieldRefusal("answer", `cannot be used: ${token}`, askAgain);
    const asked = request === undefined ? null : readRequest(fromBase64(request) ?? new Uint8Array());
    if (request !== undefined && asked === null)
      throw fieldRefusal("request", "is not a request for a time stamp with SHA-256 (TimeStampReq in DER)");
    const imprint = stampedBy(token);
    const checkpoint = imprint === null ? null : await store.attestations.stampedAs(imprint);
    if (checkpoint === null) throw fieldRefusal("answer", "stamps no checkpoint of this ledger", askAgain);
    const expected = { request: asked, roots: null };
    const stamp = await verifyToken(token, textOfNote(checkpoint.note), expected);
    if (typeof stamp === "string") throw fieldRefusal("answer", `cannot be used: ${stamp}`, askAgain);
    return { checkpoint, stamp, content: Buffer.from(token).toString("base64") };
  },

  async apply({ audit }, _input, { now }, { checkpoint, stamp, content }) {
    const { at, accuracyMs, authority } = stamp;
    const attestation = { kind: "timestamp", source: authority, content, at: now } as const;
    if (!(await audit.addAttestation(checkpoint, attestation)))
      throw fieldRefusal("answer", "stamps a checkpoint that was replaced meanwhile", askAgain);
    const { chain, size } = checkpoint;
    const accuracy_seconds = accuracyMs === null ? null : accuracyMs / 1000;
    return { data: { chain, size, time: toTimestamp(at), accuracy_seconds, authority } };
  },
});

const askAgain = "Make a new request with memledger audit timestamp-request, and send that to the authority";
