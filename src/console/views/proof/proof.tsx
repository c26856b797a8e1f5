// Verifies the ledger of a project in this browser, and compares it with the checkpoint of the last time. Offers checkpoints to keep
// elsewhere.

import { useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { CheckedFiles } from "../../verification/checked-files.tsx";
import { keep } from "../../verification/kept-checkpoint.ts";
import type { Outcome } from "../../verification/outcome.ts";
import { OutcomeReport } from "../../verification/outcome-report.tsx";
import { startVerification } from "../../verification/verification.ts";
import { VerificationProgress } from "../../verification/verification-progress.tsx";
import type { Progress } from "../../verification/verify-export.ts";
import { readProjectLedger } from "./project-ledger.ts";
import { startWorker } from "./start-worker.ts";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "exporting" }
  | { readonly kind: "verifying"; readonly progress: Progress }
  | {
      readonly kind: "done";
      readonly name: string;
      readonly outcome: Outcome;
      readonly note: string;
      readonly isUncovered: boolean;
    }
  | { readonly kind: "failed"; readonly error: unknown };

export function Proof() {
  const { id, client } = useProject();
  const [state, setState] = useState<State>({ kind: "idle" });
  const cancel = useRef(() => {});
  useEffect(() => () => cancel.current(), [id]);

  const verify = async () => {
    const controller = new AbortController();
    cancel.current = () => {
      controller.abort();
      setState({ kind: "idle" });
    };
    setState({ kind: "exporting" });
    try {
      const { request, newest, kept } = await readProjectLedger(id, client, controller.signal);
      const show = (progress: Progress) => setState({ kind: "verifying", progress });
      const running = startVerification(request, startWorker, show);
      controller.signal.addEventListener("abort", running.cancel);
      const outcome = await running.outcome;
      if (outcome === null) return;
      const [accepted] = outcome.keys;
      // A kept checkpoint that covers nothing here may be of a chain that was replaced. It is evidence, so it stays.
      const isFirst = kept === null && outcome.verdict === "unattested";
      if ((isFirst || outcome.verdict === "intact") && accepted !== undefined)
        keep(id, { note: newest.note, publicKey: accepted });
      setState({
        kind: "done",
        name: request.name,
        outcome,
        note: newest.note,
        isUncovered: kept !== null && outcome.verdict === "unattested",
      });
    } catch (error) {
      if (!controller.signal.aborted) setState({ kind: "failed", error });
    }
  };
  const isRunning = state.kind === "exporting" || state.kind === "verifying";
  return (
    <View
      title="Proof"
      of={projectName(id)}
      lead="This browser downloads all records of the project and verifies them itself."
      actions={
        <>
          <a class="button" href="/console/verifier.html" download>
            Save as one HTML file
          </a>
          <button type="button" class="primary" disabled={isRunning} onClick={() => void verify()}>
            Verify the ledger
          </button>
        </>
      }
    >
      {state.kind === "exporting" && <Loading label="The server writes the export" />}
      {state.kind === "verifying" && (
        <VerificationProgress progress={state.progress} onCancel={() => cancel.current()} />
      )}
      {state.kind === "failed" && <Failure error={state.error} onRetry={() => void verify()} />}
      {state.kind === "done" && (
        <>
          {state.isUncovered && (
            <p class="failure" role="alert">
              The checkpoint that this browser keeps of the project covers none of these records. Retention
              has removed them, or the chain was replaced by another one. Ask the operator for the reason.
            </p>
          )}
          <OutcomeReport outcome={state.outcome} name={state.name} />
          <section>
            <h2>Checkpoint to keep elsewhere</h2>
            <pre class="checkpoint">{state.note}</pre>
          </section>
        </>
      )}
      <h2>Verify a file</h2>
      <CheckedFiles startWorker={startWorker} />
    </View>
  );
}
