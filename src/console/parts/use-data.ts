// Owns loading what a view shows: once, again when asked or when what it depends on changes, and after the connection is back.

import { useEffect, useState } from "preact/hooks";
import { isConnected } from "../api/connection.ts";

export interface Data<Value> {
  /** Undefined: not loaded yet. It stays while it is loaded again, and after a failure. */
  readonly value: Value | undefined;
  /** Of the last load; null: it did not fail. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Instead of a reload, when the new value is known. */
  readonly set: (value: Value) => void;
}

interface State<Value> {
  readonly key: string;
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** @param key what `load` depends on, as text: with another one, the value is loaded again and the previous one is not shown */
export function useData<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Data<Value> {
  const begin = { key, value: undefined, error: null, isLoading: true };
  const [state, setState] = useState<State<Value>>(begin);
  const [round, setRound] = useState(0);
  const connected = isConnected.value;
  useEffect(() => {
    const stopped = new AbortController();
    setState((previous) => (previous.key === key ? { ...previous, isLoading: true } : begin));
    load(stopped.signal).then(
      (value) => {
        if (!stopped.signal.aborted) setState({ key, value, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (!stopped.signal.aborted) setState((previous) => ({ ...previous, key, error, isLoading: false }));
      },
    );
    return () => stopped.abort();
  }, [key, round]);
  useEffect(() => {
    if (connected && state.error !== null) setRound((count) => count + 1);
  }, [connected]);
  const { value, error, isLoading } = state.key === key ? state : begin;
  return {
    value,
    error,
    isLoading,
    reload: () => setRound((count) => count + 1),
    set: (next) => setState({ key, value: next, error: null, isLoading: false }),
  };
}
