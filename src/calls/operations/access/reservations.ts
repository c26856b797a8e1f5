// Owns the credits that running calls have reserved, in memory, so that two calls never reserve the same credit. Must never charge
// credits: the transaction of the call does. A call that fails, or is interrupted by a crash, costs nothing.

import type { Cost } from "../../../access/price.ts";
import type { Project } from "../../../access/project.ts";
import { creditsExhausted } from "./credits.ts";

/** The reservation of one call. Dispose it when the call has ended, with any outcome. */
interface Reservation extends Disposable {
  /** @throws Refusal 1402 when the credits of the project, without those reserved by other calls, are not enough */
  reserve(cost: Cost): Promise<void>;
  /** Call it before the transaction that charges the credits. */
  settle(): void;
}

export type Reservations = (project: Project) => Reservation;

/** The reservations of one project. */
interface Account {
  reserved: number;
  /** Calls whose transaction may already have charged their credits. */
  settling: number;
  /** Replaced when a call ends. */
  nextEnd: PromiseWithResolvers<void>;
}

/** `readCredits` reads the credits of the project; null: unlimited. */
export function createReservations(readCredits: (project: Project) => Promise<number | null>): Reservations {
  const accounts = new Map<string, Account>();

  const accountOf = ({ id }: Project): Account => {
    const account = accounts.get(id) ?? { reserved: 0, settling: 0, nextEnd: Promise.withResolvers() };
    accounts.set(id, account);
    return account;
  };

  const reserve = async (project: Project, { credits: wanted }: Cost): Promise<Account | null> => {
    for (;;) {
      const account = accountOf(project);
      const { nextEnd } = account;
      const credits = await readCredits(project);
      if (credits === null) return null;
      // A call has ended meanwhile: the credits may or may not include its charge.
      if (account.nextEnd !== nextEnd) continue;
      if (credits - account.reserved >= wanted) {
        account.reserved += wanted;
        return account;
      }
      if (account.settling === 0) throw creditsExhausted(Math.max(0, credits - account.reserved), wanted);
      // A call that is being charged may be counted twice: as a reservation, and in the credits that were read.
      await nextEnd.promise;
    }
  };

  const end = (account: Account) => {
    const { nextEnd } = account;
    account.nextEnd = Promise.withResolvers();
    nextEnd.resolve();
  };

  return (project) => {
    let account: Account | null = null;
    let reserved = 0;
    let isSettling = false;
    return {
      async reserve(cost) {
        if (cost.credits === 0) return;
        account = await reserve(project, cost);
        reserved = cost.credits;
      },
      settle() {
        if (account === null || isSettling) return;
        isSettling = true;
        account.settling += 1;
      },
      [Symbol.dispose]() {
        if (account === null) return;
        account.reserved -= reserved;
        if (isSettling) account.settling -= 1;
        end(account);
        account = null;
      },
    };
  };
}
