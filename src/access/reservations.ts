// Owns credits that running calls have been promised and have not paid yet, in memory: no two calls can count on the same credit. Must
// never take a credit: the transaction of the call does, and a call that ends without one has cost nothing, even by a crash.

import { type Cost, creditsExhausted } from "./credits.ts";
import type { Project } from "./project.ts";

/** What one call has been promised. Disposed of when the call is settled, whatever came of it. */
export interface Reservation extends Disposable {
  /** @throws Refusal 1402 when the project's credits, without those promised to other calls, are fewer. */
  reserve(cost: Cost): Promise<void>;
  /** The call goes to the transaction that charges it. */
  settle(): void;
}

export type Reservations = (project: Project) => Reservation;

/** One project's promises. */
interface Account {
  promised: number;
  /** Calls whose transaction may have charged them already. */
  settling: number;
  /** Replaced when a call ends. */
  nextEnd: PromiseWithResolvers<void>;
}

/** `readCredits` tells what the project has now; null is unlimited. */
export function createReservations(readCredits: (project: Project) => Promise<number | null>): Reservations {
  const accounts = new Map<string, Account>();

  const accountOf = ({ id }: Project): Account => {
    const account = accounts.get(id) ?? { promised: 0, settling: 0, nextEnd: Promise.withResolvers() };
    accounts.set(id, account);
    return account;
  };

  const promise = async (project: Project, { credits: wanted }: Cost): Promise<Account | null> => {
    for (;;) {
      const account = accountOf(project);
      const { nextEnd } = account;
      const credits = await readCredits(project);
      if (credits === null) return null;
      // Of a call that ended meanwhile nobody knows whether these credits are without its own.
      if (account.nextEnd !== nextEnd) continue;
      if (credits - account.promised >= wanted) {
        account.promised += wanted;
        return account;
      }
      if (account.settling === 0) throw creditsExhausted(Math.max(0, credits - account.promised), wanted);
      // A call that is being charged may be counted twice: as a promise and in what is left.
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
    let promised = 0;
    let isSettling = false;
    return {
      async reserve(cost) {
        if (cost.credits === 0) return;
        account = await promise(project, cost);
        promised = cost.credits;
      },
      settle() {
        if (account === null || isSettling) return;
        isSettling = true;
        account.settling += 1;
      },
      [Symbol.dispose]() {
        if (account === null) return;
        account.promised -= promised;
        if (isSettling) account.settling -= 1;
        end(account);
        account = null;
      },
    };
  };
}
