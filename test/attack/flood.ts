// One key sends 64 extractions of 50,000 characters at once, again and again; another project must be served meanwhile. Prints how
// many times longer its calls take than on an idle server: bun test/attack/flood.ts [seconds]

import type { JsonObject } from "../../src/platform/json/json.ts";
import { type Attack, print } from "./attack.ts";

const textsAtOnce = 64;
const textCharacters = 50_000;

/** A text with many items, none of them like those of another number. */
function longText(number: number): string {
  let text = "";
  for (let line = 0; text.length < textCharacters - 100; line++) {
    text += `Ben: We decided that machine ${number}-${line} listens on port ${1_000 + line}.\n`;
  }
  return text;
}

export const flood: Attack = {
  unit: "extractions answered",
  async run(send, signal) {
    let answered = 0;
    const repeat = async (number: number) => {
      const body: JsonObject = { text: longText(number) };
      while (!signal.aborted) {
        const response = await send("POST", "/v1/memories/extract", body, signal);
        await response.text();
        if (response.ok) answered += 1;
      }
    };
    await Promise.all(Array.from({ length: textsAtOnce }, (_, number) => repeat(number).catch(() => {})));
    return answered;
  },
};

if (import.meta.main) await print(flood);
