// One key sends long searches, 100 at once, and closes each connection before the answer; none of this work may hold up another
// project. Prints how many times longer its calls take than on an idle server: bun test/attack/abandon.ts [seconds]

import { type Attack, print } from "./attack.ts";

const searchesAtOnce = 20;
const patienceMs = 20;

export const abandon: Attack = {
  unit: "searches abandoned",
  async run(send, signal) {
    let abandoned = 0;
    const repeat = async (number: number) => {
      for (let turn = 0; !signal.aborted; turn++) {
        const query = `${number} ${turn} ${"Which of the many parcels is it? ".repeat(250)}`;
        const leaving = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
        await send("POST", "/v1/memories/search", { query }, leaving).catch(() => {
          abandoned += 1;
        });
      }
    };
    await Promise.all(Array.from({ length: searchesAtOnce }, (_, number) => repeat(number)));
    return abandoned;
  },
};

if (import.meta.main) await print(abandon);
