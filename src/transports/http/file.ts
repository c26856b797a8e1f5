// Owns the response with a file, or the part of it that a Range header requests (RFC 9110, sections 13 and 14). Streams it from the
// disk and never loads it into memory.

import { stat } from "node:fs/promises";
import type { AnswerFile } from "../../calls/contract/answer.ts";
import { Refusal } from "../../platform/errors.ts";

/** @throws Refusal 2205 if the file was removed meanwhile */
export async function fileResponse(
  file: AnswerFile,
  request: Request,
  common: Readonly<Record<string, string>>,
): Promise<Response> {
  const size = await sizeOf(file.path);
  const tag = `"${file.tag}"`;
  const headers = {
    ...common,
    "Content-Type": file.type,
    "Content-Disposition": `attachment; filename="${file.name}"`,
    "Accept-Ranges": "bytes",
    // Only the client itself may store the file, and must revalidate it.
    "Cache-Control": "private, no-cache",
    ETag: tag,
  };
  if (matchesTag(request.headers.get("if-none-match"), tag)) {
    return new Response(null, { status: 304, headers });
  }
  const range = readRange(request, size, tag);
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "Content-Range": `bytes */${size}` } });
  }
  const part = range ?? { first: 0, last: size - 1 };
  const body = Bun.file(file.path).slice(part.first, part.last + 1);
  const length = { "Content-Length": String(part.last - part.first + 1) };
  if (range === null) return new Response(body, { status: 200, headers: { ...headers, ...length } });
  const place = { "Content-Range": `bytes ${part.first}-${part.last}/${size}` };
  return new Response(body, { status: 206, headers: { ...headers, ...length, ...place } });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new Refusal(2205, "The file of this export was removed. Create a new export.");
  }
}

/** A list of tags or `*`; weak comparison, as section 13.1.2 asks. */
function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === tag);
}

interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Null: the whole file, as for any method but GET. A Range that is malformed, in another unit or of several parts is ignored, as section 14.2 allows; so is
 * one whose If-Range names another content.
 */
function readRange(
  { method, headers }: Request,
  size: number,
  tag: string,
): ByteRange | "unsatisfiable" | null {
  const condition = headers.get("if-range");
  if (method !== "GET" || (condition !== null && condition !== tag)) return null;
  const [, from, to] =
    /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.get("range")?.replaceAll(/[ \t]/g, "") ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return null;
  if (from === "") {
    const count = Math.min(Number(to), size);
    return count === 0 ? "unsatisfiable" : { first: size - count, last: size - 1 };
  }
  const first = Number(from);
  if (to !== "" && Number(to) < first) return null;
  if (first >= size) return "unsatisfiable";
  return { first, last: to === "" ? size - 1 : Math.min(Number(to), size - 1) };
}
