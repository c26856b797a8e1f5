// Owns the refusal of requests whose thread stopped before it answered them.

import { Refusal } from "../errors.ts";

/** The thread stopped before it answered a request. It is unknown whether it has executed the request. */
export class ThreadEnded extends Refusal {
  constructor() {
    super(1503, "A worker thread of the server ended before it answered. Send the call again.", {}, 1);
  }
}
