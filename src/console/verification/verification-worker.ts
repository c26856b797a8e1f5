// Starts the worker of a verification from a file of its own.

import { answerMessages } from "./worker.ts";

answerMessages(globalThis);
