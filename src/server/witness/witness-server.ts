// Owns the HTTP server of a witness (C2SP tlog-witness). It needs no key of its callers: it cosigns what a log has signed, and shows what it has
// cosigned.

import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { createTreeHasher } from "../../audit/tree.ts";
import { hashBytes } from "../../audit/verify/cryptography.ts";
import { sizeMediaType } from "../../audit/witness/add-checkpoint.ts";
import type { Cosigner } from "../../audit/witness/cosigner.ts";
import {
  readSubmission,
  refusalOf,
  type Submission,
  type WitnessRefusal,
} from "../../audit/witness/decision.ts";
import { parseSignedCheckpoint, type SignedCheckpointOf } from "../../audit/witness/signed-checkpoint.ts";
import type { VerifierKey } from "../../audit/witness/verifier-key.ts";
import type { WitnessStates } from "../../engines/engines.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { stopServer } from "../../platform/native/stop-server.ts";
import { listeningUrl } from "../../platform/network.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { explainListenFailure } from "../../transports/http/network/listen-failure.ts";
import { witnessBodyMaxBytes, witnessGraceMs } from "./limits.ts";

interface WitnessServerOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
  readonly cosigner: Cosigner;
  /** Keys of the logs whose checkpoints are cosigned. */
  readonly logs: readonly VerifierKey[];
  readonly states: WitnessStates;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface WitnessServer {
  readonly url: string;
  /** Answers running requests first. */
  stop(): Promise<void>;
}

/** @throws Error that says what to do if the server cannot listen on the address */
export async function startWitnessServer(options: WitnessServerOptions): Promise<WitnessServer> {
  const { hostname, port, states, logger } = options;
  const cosign = createCosigning(options);
  try {
    const server = Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      maxRequestBodySize: witnessBodyMaxBytes,
      routes: {
        "/add-checkpoint": {
          POST: async (request) => toResponse(cosign(new Uint8Array(await request.arrayBuffer()))),
        },
        "/:log/checkpoint": {
          GET: ({ params }) => {
            const note = states.find(params.log);
            return note === null
              ? text(404, "This witness has cosigned no checkpoint of this log.")
              : plain(note);
          },
        },
      },
      fetch: () => text(404, "Not found. This is a C2SP tlog-witness: POST /add-checkpoint."),
      error(error) {
        logger.error("a request to the witness failed", { error });
        return text(500, "Internal error. The reason is in the log of the witness.");
      },
    });
    return {
      url: listeningUrl("http", hostname, server.port),
      stop: () => stopServer(server, witnessGraceMs),
    };
  } catch (error) {
    throw await explainListenFailure(error, hostname, port, { host: "--host", port: "--port" });
  }
}

const hasher = createTreeHasher(runtimeCryptography);

type Outcome = { readonly note: string; readonly line: string } | (WitnessRefusal & { readonly note: null });

function createCosigning({ cosigner, logs, states, clock, logger }: WitnessServerOptions) {
  const emptyRoot = new Uint8Array(hashBytes);
  runtimeCryptography.hashInto(new Uint8Array(), emptyRoot);

  const decide = (submission: Submission, last: string | null): Outcome => {
    const refusal = refusalOf(submission, last === null ? null : knownState(last), hasher, emptyRoot);
    if (refusal !== null) return { ...refusal, note: null };
    const { checkpoint, logLines } = submission;
    const line = cosigner.cosign(checkpoint.text, clock.now());
    return { line, note: `${checkpoint.text}\n${[...logLines, line].join("\n")}\n` };
  };
  return (body: Uint8Array): Outcome => {
    const submission = readSubmission(body, logs, runtimeCryptography);
    if ("status" in submission) return { ...submission, note: null };
    const { origin } = submission.checkpoint;
    const outcome = states.change(logHash(origin), (last) => decide(submission, last));
    // The note proves what the log has signed.
    if (outcome.note === null && outcome.status === 422)
      logger.error("a log has signed a checkpoint that does not continue the last one", {
        origin,
        note: submission.note,
      });
    return outcome;
  };
}

/** @throws Error when the database was changed: what was cosigned must never be forgotten */
function knownState(note: string): SignedCheckpointOf {
  const known = parseSignedCheckpoint(note);
  if (known === null) throw new Error("the database of the witness has a malformed note");
  return known;
}

function logHash(origin: string): string {
  return runtimeCryptography.createSha256().update(origin).digest();
}

function toResponse(outcome: Outcome): Response {
  if (outcome.note !== null) return plain(`${outcome.line}\n`);
  const { status, message } = outcome;
  if (status !== 409) return text(status, message);
  return new Response(`${message}\n`, { status, headers: { ...common, "Content-Type": sizeMediaType } });
}

const common = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function text(status: number, message: string): Response {
  return plain(`${message}\n`, status);
}

function plain(body: string, status = 200): Response {
  return new Response(body, { status, headers: { ...common, "Content-Type": "text/plain; charset=utf-8" } });
}
