// Shows why something failed: the message of the server, which says what to do, its code, and a button to try again.

import { ApiError, ConnectionFailedError, MemledgerError } from "../../../clients/typescript/src/errors.ts";
import { Icon } from "./icon.tsx";

interface FailureProps {
  readonly error: unknown;
  /** Null: trying again would not help. */
  readonly onRetry?: (() => void) | null;
}

export function Failure({ error, onRetry = null }: FailureProps) {
  const { text, code } = readFailure(error);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        {code !== null && <p class="quiet">Code {code}</p>}
      </div>
      {onRetry !== null && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface ReadFailure {
  readonly text: string;
  /** Of the API; null: the failure is not one of the API. */
  readonly code: number | null;
}

/** What to tell a person of a failure. */
export function readFailure(error: unknown): ReadFailure {
  if (error instanceof ApiError) return { text: error.message, code: error.code };
  if (error instanceof ConnectionFailedError)
    return { text: "The server cannot be reached. Check that it runs, and try again.", code: null };
  if (error instanceof MemledgerError) return { text: error.message, code: null };
  return {
    text: `The console has an error of its own. Load the page again, and report it if it stays: ${String(error)}`,
    code: null,
  };
}

/** The field of a form that the server refused; null: the failure is about no field. */
export function failedField(error: unknown): string | null {
  const field = error instanceof ApiError ? error.data.field : undefined;
  return typeof field === "string" ? field : null;
}
