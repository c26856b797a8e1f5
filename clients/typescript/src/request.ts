// Owns how an operation and its input become a request. Must never send what was left undefined by mistake as if it was left out.

import { MemledgerError } from "./errors.ts";

/** What the API says of an operation. */
export interface Operation {
  /** As in the OpenAPI document. */
  readonly operationId: string;
  readonly method: string;
  /** Parameters are in braces. */
  readonly path: string;
  /** Whether repeating the same call changes nothing more. */
  readonly isIdempotent: boolean;
  readonly mayRunLong: boolean;
}

export interface Input {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
}

/** Path and query of the request. @throws MemledgerError for an identifier that would change the path */
export function targetOf({ operationId, path }: Operation, input: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = input.path?.[name];
    if (typeof value !== "string" || /^\.{0,2}$/.test(value))
      throw new MemledgerError(`${operationId} needs an identifier as ${name}.`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null)
        query.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/**
 * JSON text of the body; undefined: none.
 * @throws MemledgerError for an undefined field of a deletion: without the field, the call would delete everything
 */
export function bodyOf({ operationId, method }: Operation, { body }: Input): string | undefined {
  if (body === undefined) return undefined;
  const missing = Object.entries(body).find(([, value]) => value === undefined);
  if (method === "DELETE" && missing !== undefined)
    throw new MemledgerError(
      `${operationId}: ${missing[0]} is undefined. Omit it to delete without this condition.`,
    );
  return JSON.stringify(body);
}

/**
 * A JSON object as the value of a header, which can hold ASCII only.
 * @throws MemledgerError if it is no JSON object
 */
export function auditMetadataHeader(metadata: object | undefined): Readonly<Record<string, string>> {
  if (metadata === undefined) return {};
  if (metadata === null || typeof metadata !== "object" || Array.isArray(metadata))
    throw new MemledgerError("auditMetadata is no JSON object.");
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return { "X-Audit-Metadata": JSON.stringify(metadata).replaceAll(/[\u007f-\uffff]/g, escaped) };
}
