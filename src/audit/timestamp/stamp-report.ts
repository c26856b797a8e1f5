// Owns what a person is told of a time stamp that was verified. Pure.

import type { JsonObject } from "../../platform/json/json.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { TimeStamp } from "./token.ts";

/** `2026-11-28T14:00:00.000Z +/- 1 s, says "CN=..."`, and whether its certificate was checked. */
export function stampText({ at, accuracyMs, authority, isTrusted }: TimeStamp): string {
  const accuracy = accuracyMs === null ? " (accuracy not stated)" : ` +/- ${accuracyMs / 1000} s`;
  const checked = isTrusted ? "" : ", which was not checked against a root: give --timestamp-roots FILE";
  return `${toTimestamp(at)}${accuracy}, says "${authority}"${checked}`;
}

/** @param stamp a text: why it counts for nothing */
export function stampData(stamp: TimeStamp | string): JsonObject {
  if (typeof stamp === "string") return { valid: false, reason: stamp };
  const { at, accuracyMs, authority, policy, isTrusted } = stamp;
  const accuracy_seconds = accuracyMs === null ? null : accuracyMs / 1000;
  return { valid: true, time: toTimestamp(at), accuracy_seconds, authority, policy, root_checked: isTrusted };
}
