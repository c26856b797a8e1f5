// Owns which calls of tools are running, so that a client of the 2025 protocols can cancel one: it does so with another HTTP request.
// Nothing of it is kept after its call. Clients of 2026-07-28 close the connection instead.

/** What a client names when it cancels: its key, its session id, and its own id of the request. */
export interface CallName {
  readonly keyId: string;
  /** Null: the client sends none, so it could not be told from another one, and cannot cancel. */
  readonly sessionId: string | null;
  readonly requestId: string | number;
}

export interface RunningCalls {
  /** @param signal of the request. @returns a signal that `cancel` aborts, too; dispose of it when the call has ended. */
  begin(name: CallName, signal: AbortSignal): { readonly signal: AbortSignal } & Disposable;
  /** Does nothing if no such call runs. */
  cancel(name: CallName): void;
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>();
  return {
    begin(name, signal) {
      if (name.sessionId === null) return { signal, [Symbol.dispose]() {} };
      const text = print(name);
      const controller = new AbortController();
      running.set(text, controller);
      return {
        signal: AbortSignal.any([signal, controller.signal]),
        [Symbol.dispose]() {
          // A client that uses an id twice has replaced it.
          if (running.get(text) === controller) running.delete(text);
        },
      };
    },
    cancel(name) {
      if (name.sessionId !== null) running.get(print(name))?.abort();
    },
  };
}

/** The numbers and texts that JSON-RPC allows as ids are different ids. */
function print({ keyId, sessionId, requestId }: CallName): string {
  return JSON.stringify([keyId, sessionId, requestId]);
}
