// An upstream answers with 15 MB of empty objects, over and over; another project must be served meanwhile. Prints how many times longer
// its calls take than on an idle server: bun test/attack/long-answers.ts [seconds]

import { type Attack, print } from "./attack.ts";
import { longRequest } from "./long-requests.ts";

const connections = 2;

/** @param values empty objects of three bytes each */
export const longAnswer = (values: number): string =>
  `{"object":"chat.completion","choices":[${"{},".repeat(values)}{}]}`;

const body = longAnswer(5_000_000);

export const longAnswers: Attack = {
  unit: "long answers passed on",
  upstream: () => ({ body }),
  async run(send, signal) {
    let answered = 0;
    const repeat = async () => {
      while (!signal.aborted) {
        const response = await send("POST", "/v1/chat/completions", longRequest("fake", 10), signal);
        for await (const _ of response.body ?? []);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, () => repeat().catch(() => {})));
    return answered;
  },
};

if (import.meta.main) await print(longAnswers);
