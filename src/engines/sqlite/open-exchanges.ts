// Owns the SQL of exchanges that have no record yet. A trigger of the schema removes the row with the insertion of the record. Must never
// make a record of a row that another program has written.

import { callerFor } from "../../access/caller.ts";
import type { Signer } from "../../audit/signed-note.ts";
import {
  personIn,
  toUnfinishedRecord,
  type UnfinishedExchange,
  withoutContent,
} from "../../calls/open-exchange.ts";
import { openPseudonyms } from "../../calls/pseudonyms.ts";
import type { OpenExchange } from "../../calls/storage/open-exchange.ts";
import type { Transaction } from "../../calls/storage/store.ts";
import { unavailable } from "../../platform/errors.ts";
import { randomId } from "../../platform/ids.ts";
import { sha256 } from "../../platform/json/hash.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { InTransaction } from "./threads/write-transactions.ts";

type StoredExchange = UnfinishedExchange & { readonly seal: string };

interface OpenExchangeTools {
  readonly database: Database;
  readonly transaction: Pick<Transaction, "lock" | "audit" | "subjects" | "conversations">;
  readonly inTransaction: InTransaction;
  readonly signer: Pick<Signer, "seal">;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
}

interface OpenExchangeLog {
  /** @throws when nothing of them is committed */
  open(exchanges: readonly OpenExchange[]): Promise<void>;
  /** Makes a record of each exchange that the last process has left. Only for the first thread of a process. */
  recordLeft(): Promise<void>;
}

export function createOpenExchangeLog(tools: OpenExchangeTools): OpenExchangeLog {
  const { database, transaction, inTransaction, signer, clock, logger } = tools;
  const insert = database.prepare(
    `INSERT INTO open_exchange (record, key, action, subject, conversation, payload, kept, seal)
     VALUES (:record, :key, :action, :subject, :conversation, :payload, :kept, :seal)`,
  );
  const list = database.prepare<[], string>("SELECT record FROM open_exchange ORDER BY record").pluck();
  const find = database.prepare<[string], StoredExchange>("SELECT * FROM open_exchange WHERE record = ?");

  const recordOne = (id: string): Promise<void> =>
    inTransaction(async () => {
      const left = find.get(id);
      if (left === undefined) return;
      if (!isOwn(left, signer)) throw new Error("another program has written the row");
      const caller = await transaction.lock(left.key);
      const name = personIn(left);
      const person =
        caller === null || name === null
          ? null
          : await transaction.subjects.openPerson(caller.project, { id: randomId(), name });
      await transaction.audit.append(toUnfinishedRecord(left, caller, person?.id ?? null, clock.now()));
    });

  /** @throws Refusal 1503 */
  const requireNamed = async ({ key, subject, conversation }: OpenExchange): Promise<void> => {
    if (subject === null && conversation === null) return;
    const known = await transaction.lock(key);
    if (known !== null && (await openPseudonyms(transaction, callerFor(known, subject, conversation))))
      return;
    throw unavailable(
      "The subject or the conversation of this call was created or erased meanwhile. Send the call again.",
    );
  };

  return {
    open: (exchanges) =>
      inTransaction(async () => {
        for (const exchange of exchanges) {
          await requireNamed(exchange);
          const { subject, conversation } = exchange;
          const row = { ...exchange, subject: subject?.id ?? null, conversation: conversation?.id ?? null };
          insert.run({ ...row, seal: signer.seal(sealedText(row)) });
        }
      }),
    async recordLeft() {
      const left = list.all();
      for (const record of left) {
        try {
          await recordOne(record);
          logger.warn("the outcome of a request to the gateway is unknown", { record });
        } catch (error) {
          logger.error("an unfinished request to the gateway cannot be recorded", {
            record,
            error,
          });
        }
      }
    },
  };
}

export function hasOpenExchange(database: Database): boolean {
  return database.prepare("SELECT EXISTS (SELECT 1 FROM open_exchange)").pluck().get() === 1;
}

/** @returns a function for a transaction that erases a text: no row of an exchange has it any more. */
export function createOpenExchangeErasure(database: Database, signer: Pick<Signer, "seal">): () => void {
  const list = database.prepare<[], StoredExchange>("SELECT * FROM open_exchange");
  const update = database.prepare(
    "UPDATE open_exchange SET payload = :payload, kept = :kept, seal = :seal WHERE record = :record",
  );
  return () => {
    for (const open of list.all()) {
      if (!isOwn(open, signer)) continue;
      const erased = withoutContent(open);
      const { record, payload, kept } = erased;
      update.run({ record, payload, kept, seal: signer.seal(sealedText(erased)) });
    }
  };
}

/** Whether this program has written the row. */
function isOwn(open: StoredExchange, signer: Pick<Signer, "seal">): boolean {
  return signer.seal(sealedText(open)) === open.seal;
}

function sealedText({
  record,
  key,
  action,
  subject,
  conversation,
  payload,
  kept,
}: UnfinishedExchange): string {
  const of = conversation === null ? (subject === null ? [] : [subject]) : [subject ?? "", conversation];
  return ["memledger/open/v1", record, key, action, sha256(payload), sha256(kept ?? ""), ...of].join("\n");
}
