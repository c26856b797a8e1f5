// Owns how a response becomes data or an error. Must never trust that memledger has answered: a proxy may have.

import { type ApiError, toApiError } from "./errors.ts";

/** The `data` of a successful response. @throws ApiError for every other one */
export async function readData<Data>(response: Response): Promise<Data> {
  const envelope: Envelope<Data> | null = parse(await response.text());
  if (response.ok && envelope?.success === true && envelope.data !== undefined) return envelope.data;
  throw refusalOf(response, envelope);
}

/** @throws ApiError unless the response is a success without a body */
export async function readNothing(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status !== 204) throw refusalOf(response, parse(text));
}

/** The response itself, whose body is not read yet. @throws ApiError unless it is a file */
export async function readFile(response: Response): Promise<Response> {
  if (response.status === 200) return response;
  throw refusalOf(response, parse(await response.text()));
}

interface Envelope<Data> {
  readonly success?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: Data;
}

function parse<Data>(text: string): Envelope<Data> | null {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function refusalOf(response: Response, envelope: Envelope<unknown> | null): ApiError {
  const { status, headers } = response;
  const retryAfterSeconds = readRetryAfter(headers.get("Retry-After"));
  if (envelope?.success === false && typeof envelope.code === "number") {
    const { code, message, data } = envelope;
    return toApiError({
      status,
      code,
      message: String(message),
      data: isRecord(data) ? data : {},
      retryAfterSeconds,
    });
  }
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  const message = isRedirect
    ? `A redirect (status ${status}) was not followed. Set baseUrl to the final address.`
    : `The response with status ${status} is not one of memledger. Check baseUrl, and any proxy between this program and the server.`;
  return toApiError({ status, code: null, message, data: {}, retryAfterSeconds });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number of seconds, or a date (RFC 9110, section 10.2.3). Null for anything else. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
