// Owns answers of a time stamp authority (RFC 3161, section 2.4.2): the token in them, or why there is none.

import { TimeStampResp } from "pkijs";
import { bytesOf, readAs, readDer, valuesIn } from "./der.ts";
import { plainText } from "./distinguished-name.ts";

/** PKIStatus: granted, and granted with changes, which the token shows. */
const granted = [0, 1];

/** PKIFailureInfo, by bit. */
const failures: Readonly<Record<number, string>> = {
  0: "it does not support SHA-256",
  2: "it does not permit the request",
  5: "it cannot read the request",
  14: "its clock is not available",
  15: "it does not support the policy",
  16: "it does not support an extension",
  17: "it has no such additional information",
  25: "it has an internal error",
};

/** @returns the token in DER; a text: why there is none, as a clause */
export function readResponse(bytes: Uint8Array): Uint8Array | string {
  const schema = readDer(bytes);
  const token = valuesIn(schema ?? undefined)[1];
  const response = schema === null ? null : readAs(() => new TimeStampResp({ schema }));
  if (response === null) return "it is not the answer of a time stamp authority (TimeStampResp in DER)";
  const { status, statusStrings = [], failInfo } = response.status;
  if (!granted.includes(status)) {
    const bits = failInfo?.valueBlock.valueHexView ?? new Uint8Array();
    const known = Object.entries(failures).filter(
      ([bit]) => ((bits[Number(bit) >> 3] ?? 0) & (0x80 >> (Number(bit) & 7))) !== 0,
    );
    const said = statusStrings.map((text) => plainText(text.valueBlock.value));
    const reasons = [...known.map(([, reason]) => reason), ...said.map((text) => `"${text}"`)];
    return `the authority refused, with status ${status}${reasons.length === 0 ? "" : `: ${reasons.join("; ")}`}`;
  }
  return token === undefined ? "it has no token" : bytesOf(token);
}
