// Owns sending a form: once at a time, and what went wrong.

import { useState } from "preact/hooks";

export interface Form {
  /** Null: the last run did not fail. */
  readonly error: unknown;
  readonly isRunning: boolean;
  readonly submit: (event: Event) => Promise<void>;
}

/** @param run what the form does. Its error stays until a run succeeds */
export function useForm(run: () => Promise<void>): Form {
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    try {
      await run();
      setError(null);
    } catch (failure) {
      setError(failure);
    }
    setRunning(false);
  };
  return { error, isRunning, submit };
}
