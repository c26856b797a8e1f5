// Owns answers that the gateway makes by itself.

import type { JsonObject } from "../../../platform/json/json.ts";
import type { Exchange } from "../../contract/exchange.ts";

/** The answer is sent when its record is committed. */
export function answerWithJson(exchange: Exchange, answer: JsonObject): void {
  exchange.begin({ status: 200, headers: new Headers({ "content-type": "application/json" }) });
  exchange.hold([new TextEncoder().encode(JSON.stringify(answer))]);
}
