// Owns how a fact is asked for that another thread, a file or a check must tell: whoever needs it waits for a limited time, and then has
// the last one.

import type { Clock } from "../time/clock.ts";

export interface SourceState {
  /** Whether it has answered the last refresh. */
  readonly isCurrent: boolean;
  /** Age of its values; null: it has never answered. */
  readonly ageSeconds: number | null;
}

interface Source<Value> {
  /** Asks for new values, and waits for them for a limited time. Never throws. */
  refresh(): Promise<void>;
  /** Null: it has never answered, or does not exist. */
  last(): Value | null;
  state(): SourceState;
}

/** How each fact is asked for. A fact that does not exist is null. */
export type Readers<Facts> = { readonly [Name in keyof Facts]: () => Promise<Facts[Name]> };

export interface NamedState<Name> extends SourceState {
  readonly source: Name;
}

/** A source for each fact. */
export interface Sources<Facts> {
  /** Asks all that are due at once, and waits for them as for one. */
  refresh(isDue?: (state: NamedState<keyof Facts>) => boolean): Promise<void>;
  last(): Facts;
  states(): readonly NamedState<keyof Facts>[];
}

/** @param Facts each may be null: its source has never answered, or it does not exist */
export function createSources<Facts extends object>(
  readers: Readers<Facts>,
  waitMs: number,
  clock: Clock,
): Sources<Facts> {
  const names = Object.keys(readers) as (keyof Facts)[];
  const all = names.map((name) => ({ name, source: createSource(readers[name], waitMs, clock) }));
  const states = () => all.map(({ name, source }) => ({ source: name, ...source.state() }));
  return {
    async refresh(isDue = () => true) {
      const due = all.filter(({ name, source }) => isDue({ source: name, ...source.state() }));
      await Promise.all(due.map(({ source }) => source.refresh()));
    },
    last: () => Object.fromEntries(all.map(({ name, source }) => [name, source.last()])) as Facts,
    states,
  };
}

/** It is asked once at a time: a thread that hangs gets one request, however many ask. */
function createSource<Value>(read: () => Promise<Value | null>, waitMs: number, clock: Clock): Source<Value> {
  let value: Value | null = null;
  let answeredAtMs: number | null = null;
  let isCurrent = false;
  let asked: Promise<void> | null = null;
  const ask = async (): Promise<void> => {
    try {
      value = await read();
      answeredAtMs = clock.elapsed();
      isCurrent = true;
    } catch {
      // A thread that restarts, or a disk that fails: the log says why, and the state that it is so.
      isCurrent = false;
    }
    asked = null;
  };
  return {
    async refresh() {
      isCurrent = false;
      asked ??= ask();
      await clock.within(waitMs, asked);
    },
    last: () => value,
    state: () => ({
      isCurrent,
      ageSeconds: answeredAtMs === null ? null : Math.max(0, clock.elapsed() - answeredAtMs) / 1_000,
    }),
  };
}
