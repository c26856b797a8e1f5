// Owns how the records of the ledger get to a place elsewhere: a file after the other, in their order, and what was answered is stored before the next one.
// Must never delay a call, or give a destination two different files of the same records.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { DueDeposit } from "../../calls/storage/deposit-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Destination } from "../attesting/destination.ts";
import { depositMaxRecords } from "./limits.ts";
import type { DepositPlace } from "./place.ts";
import { createSpool, type SpooledDeposit } from "./spool.ts";

interface DepositorTools {
  readonly store: Pick<Store, "deposits">;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long third parties have to attest a checkpoint before it is kept. */
  readonly waitMs: number;
  /** Of one file. */
  readonly recordsMax?: number;
}

export function createDepositor(
  place: DepositPlace,
  { store: { deposits }, dataDir, clock, logger, waitMs, recordsMax = depositMaxRecords }: DepositorTools,
): Destination<DueDeposit> {
  const { name } = place;
  const folder = createHash("sha256").update(name).digest("hex").slice(0, 16);
  const spool = createSpool(join(dataDir, "deposits", folder), deposits);
  const query = () => ({ destination: name, signedBefore: clock.now() - waitMs });
  let records = 0;

  const keep = async (made: SpooledDeposit, signal: AbortSignal): Promise<void> => {
    const { range, file, erasures } = made;
    if (erasures !== null) await place.keep(erasures, signal);
    const answer = await place.keep(file, signal);
    await deposits.add({ ...range, destination: name, sha256: file.sha256, answer, at: clock.now() });
    await spool.remove(made);
    records = Math.max(0, records - (range.last - range.first + 1));
    logger.info("records were kept elsewhere", {
      ...{ deposit: name, file: file.name, bytes: file.bytes, sha256: file.sha256 },
      ...answer,
    });
  };

  return {
    kind: "deposit",
    name,
    ...(place.check === undefined ? {} : { check: place.check }),
    async waiting() {
      const due = await deposits.due(query());
      records = due.reduce((sum, each) => sum + each.records, 0);
      return due;
    },
    async attest({ chain }, signal) {
      for (;;) {
        signal.throwIfAborted();
        const next = await deposits.next(query(), chain, recordsMax);
        const found = await spool.find(chain);
        const isStored = found !== null && next?.log === found.range.log && next.first > found.range.last;
        if (found !== null && (next === null || isStored)) await spool.remove(found);
        else if (found !== null) await keep(found, signal);
        else if (next !== null) await keep(await spool.make(next), signal);
        else return;
      }
    },
    last: () => deposits.last(name),
    records: () => records,
  };
}
