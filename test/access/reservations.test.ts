// Proves the arithmetic of reserved credits at the moments that no test through the API can choose.

import { expect, test } from "bun:test";
import { createReservations } from "../../src/calls/operations/access/reservations.ts";
import { Refusal } from "../../src/platform/errors.ts";
import { openSeam } from "../calls/storage/seam.ts";

const seam = await openSeam();
const { project } = (await seam.project()).caller;
await seam.close();
const one = { credits: 1, usd: 0 };
const outcome = (work: Promise<void>) =>
  work.then(
    () => "reserved",
    (error: unknown) => (error instanceof Refusal ? { code: error.code, ...error.data } : error),
  );

/** Reservations on credits that the test changes, as transactions would. */
function account(credits: number | null) {
  const bank = { credits };
  return { bank, reserve: createReservations(async () => bank.credits) };
}

test("a call that is being charged is not counted twice: another waits for its end", async () => {
  const { bank, reserve } = account(2);
  const first = reserve(project);
  await first.reserve(one);
  first.settle();
  bank.credits = 1; // its transaction has committed, and its answer is on the way
  const second = reserve(project);
  const waiting = outcome(second.reserve(one));
  expect(await Promise.race([waiting, Bun.sleep(20).then(() => "waits")])).toBe("waits");
  first[Symbol.dispose]();
  expect(await waiting).toBe("reserved");
  expect(await outcome(reserve(project).reserve(one))).toEqual({ code: 1402, credits: 0, cost: 1 });
});

test("credits that were read before a call ended are read again", async () => {
  const bank = { credits: 1 };
  const reading = Promise.withResolvers<void>();
  let reads = 0;
  const reserve = createReservations(async () => {
    const { credits } = bank;
    // The second reading takes until the first call has been charged and is over.
    if (++reads === 2) await reading.promise;
    return credits;
  });
  const first = reserve(project);
  await first.reserve(one);
  const second = outcome(reserve(project).reserve(one));
  first.settle();
  bank.credits = 0;
  first[Symbol.dispose]();
  reading.resolve();
  expect(await second).toEqual({ code: 1402, credits: 0, cost: 1 });
  expect(reads).toBe(3);
});

test("a call that ends without a charge gives its credits back, once", async () => {
  const { reserve } = account(1);
  const first = reserve(project);
  await first.reserve(one);
  expect(await outcome(reserve(project).reserve(one))).toEqual({ code: 1402, credits: 0, cost: 1 });
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(await outcome(reserve(project).reserve(one))).toBe("reserved");
  expect(await outcome(reserve(project).reserve(one))).toEqual({ code: 1402, credits: 0, cost: 1 });
});

test("unlimited credits and free calls need no reservation", async () => {
  expect(await outcome(account(null).reserve(project).reserve({ credits: 1_000, usd: 0 }))).toBe("reserved");
  expect(await outcome(account(0).reserve(project).reserve({ credits: 0, usd: 0 }))).toBe("reserved");
});
