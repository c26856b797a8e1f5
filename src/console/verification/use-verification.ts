// Owns the state of one verification of a page: what it waits for, how far it is, its outcome, and how to cancel it. Another one replaces it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { VerificationRequest } from "./messages.ts";
import type { Outcome } from "./outcome.ts";
import { startVerification } from "./verification.ts";
import type { Progress } from "./verify-export.ts";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "preparing" }
  | { readonly kind: "verifying"; readonly progress: Progress }
  | { readonly kind: "done"; readonly name: string; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly error: unknown };

interface RunningVerification {
  readonly state: State;
  readonly isRunning: boolean;
  /**
   * @param prepare what is verified; it should end when the signal is aborted
   * @returns null: cancelled, or failed
   */
  readonly verify: (
    prepare: (signal: AbortSignal) => VerificationRequest | Promise<VerificationRequest>,
  ) => Promise<Outcome | null>;
  readonly cancel: () => void;
}

/** @param startWorker starts a worker that runs worker.ts */
export function useVerification(startWorker: () => Worker): RunningVerification {
  const [state, setState] = useState<State>({ kind: "idle" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return {
    state,
    isRunning: state.kind === "preparing" || state.kind === "verifying",
    async verify(prepare) {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const { signal } = controller;
      setState({ kind: "preparing" });
      try {
        const request = await prepare(signal);
        if (signal.aborted) return null;
        const started = startVerification(request, startWorker, (progress) => {
          if (!signal.aborted) setState({ kind: "verifying", progress });
        });
        signal.addEventListener("abort", started.cancel);
        const outcome = await started.outcome;
        if (outcome !== null) setState({ kind: "done", name: request.name, outcome });
        return outcome;
      } catch (error) {
        if (!signal.aborted) setState({ kind: "failed", error });
        return null;
      }
    },
    cancel() {
      running.current?.abort();
      setState({ kind: "idle" });
    },
  };
}
