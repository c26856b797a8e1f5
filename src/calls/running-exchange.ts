// Owns an exchange while its call is performed: what is held back until the record is committed, and how the answer ends. Must never let
// a client get a complete answer that is not recorded.

import type { PreparedMembers } from "../audit/parts/prepared-members.ts";
import type { Exchange, ExchangeSource } from "./contract/exchange.ts";

/** An exchange as `perform` sees it. */
export interface RunningExchange {
  readonly exchange: Exchange;
  /** Members of the record. */
  readonly kept: PreparedMembers;
  /** @param release gives back the claim for the body */
  received(body: Uint8Array, release: () => void): void;
  /** @param open performs Exchange.open */
  opensWith(open: Exchange["open"]): void;
  /** An erasure was committed, so the call is prepared again. */
  erasedMeanwhile(): void;
  /** The record is committed as it was prepared. */
  recorded(): void;
  /** Ends the answer, if it has begun. */
  finish(): void;
}

export function runExchange(
  { headers, method, path, search, client }: ExchangeSource,
  recordId: string,
): RunningExchange {
  let body: Uint8Array = new Uint8Array();
  let release: (() => void) | null = null;
  let kept: PreparedMembers = {};
  let open: Exchange["open"] = async () => {};
  let held: readonly Uint8Array[] = [];
  let work: Promise<unknown> | null = null;
  let isErasedMeanwhile = false;
  let isRecorded = false;
  let isBrokenOff = false;

  const exchange: Exchange = {
    headers,
    method,
    path,
    search,
    recordId,
    get body() {
      return body;
    },
    get isErasedMeanwhile() {
      return isErasedMeanwhile;
    },
    once<Result>(begin: () => Promise<Result>) {
      work ??= begin();
      // One operation passes the same work each time, so its result has the type of the first one.
      return work as Promise<Result>;
    },
    begin(head) {
      if (client.isBegun) throw new Error("the answer has begun already");
      client.begin(head, recordId);
    },
    write: (bytes) => client.write(bytes),
    hold(bytes) {
      held = bytes;
    },
    breakOff() {
      isBrokenOff = true;
    },
    open: (details) => open(details),
    keep(members) {
      kept = members;
    },
    releaseBody() {
      body = new Uint8Array();
      release?.();
      release = null;
    },
  };
  return {
    exchange,
    get kept() {
      return kept;
    },
    received(bytes, giveBack) {
      body = bytes;
      release = giveBack;
    },
    opensWith(given) {
      open = given;
    },
    erasedMeanwhile() {
      isErasedMeanwhile = true;
      kept = {};
    },
    recorded() {
      isRecorded = true;
    },
    finish() {
      if (!client.isBegun) return;
      if (isRecorded && !isBrokenOff) client.end(held);
      else client.cut();
    },
  };
}
