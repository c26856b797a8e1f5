// Owns the calls that begin, read and end a session. They are not sent with session-fetch.ts, which needs a session itself.

import { createCalls, type Operation } from "../../../clients/typescript/src/calls.ts";
import { AuthenticationError, PermissionDeniedError } from "../../../clients/typescript/src/errors.ts";
import { settingsWith } from "./client-settings.ts";
import { reportConnection } from "./connection.ts";
import { tokenHeader } from "./request-headers.ts";

/** Who is signed in, as the server answers it. */
export interface SessionDetail {
  readonly id: string;
  readonly kind: "administrator" | "key";
  /** Goes back with each request of the page. */
  readonly request_token: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** User of the machine who asked for the link; null: unknown, or the session of a key. */
  readonly os_user: string | null;
  /** Null: an administrator. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly permissions: readonly string[];
  } | null;
  readonly project: { readonly id: string; readonly name: string } | null;
}

export type Proof = { readonly link: string } | { readonly key: string };

const operation = (method: string): Operation => ({
  operationId: "session",
  method,
  path: "/console/api/session",
  isIdempotent: method !== "POST",
  mayRunLong: false,
});

function calls(token: string | null) {
  return createCalls(
    settingsWith(async (url, init) => {
      const headers = new Headers(init.headers);
      if (token !== null) headers.set(tokenHeader, token);
      try {
        const response = await fetch(url, { ...init, headers, credentials: "same-origin" });
        reportConnection(true);
        return response;
      } catch (error) {
        reportConnection(false);
        throw error;
      }
    }),
  );
}

/** Null: nobody is signed in. @throws MemledgerError for every other failure */
export async function readSession(): Promise<SessionDetail | null> {
  try {
    return await calls(null).data<SessionDetail>(operation("GET"), {}, {});
  } catch (error) {
    if (error instanceof AuthenticationError || error instanceof PermissionDeniedError) return null;
    throw error;
  }
}

/** @throws AuthenticationError for a link or a key that is not valid */
export function beginSession(proof: Proof): Promise<SessionDetail> {
  return calls(null).data<SessionDetail>(operation("POST"), { body: proof }, {});
}

export async function endSession(token: string): Promise<void> {
  await calls(token).nothing(operation("DELETE"), {}, {});
}
