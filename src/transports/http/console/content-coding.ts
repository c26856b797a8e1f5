// Owns the choice of the form in which a compressed file is sent (RFC 9110, section 12.5.3).

import type { ContentCoding } from "./console-files.ts";

/** The smallest form first. */
const codings: readonly ContentCoding[] = ["br", "gzip"];

/** @param accepted the header Accept-Encoding; null: there is none */
export function chooseCoding(accepted: string | null): ContentCoding {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(name, quality === undefined ? 1 : Number(quality));
  }
  const isAccepted = (coding: string) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
  return codings.find(isAccepted) ?? "identity";
}
