// Verifies files that a person drops or chooses, with progress, and shows the outcome. The same on the page of the console and on the
// saved page.

import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { OutcomeReport } from "./outcome-report.tsx";
import { evidenceOf, nothingSupplied, SuppliedEvidence } from "./supplied-evidence.tsx";
import { useVerification } from "./use-verification.ts";
import { VerificationProgress } from "./verification-progress.tsx";

interface CheckedFilesProps {
  /** Starts a worker that runs worker.ts. */
  readonly startWorker: () => Worker;
}

export function CheckedFiles({ startWorker }: CheckedFilesProps) {
  const [supplied, setSupplied] = useState(nothingSupplied);
  const { state, isRunning, verify, cancel } = useVerification(startWorker);
  const { exports, receipts, manifests } = supplied.files;
  const receipt = receipts.at(-1);
  const file = receipt ?? exports.at(-1);
  const begin = () =>
    file !== undefined &&
    verify(() => ({
      ...evidenceOf(supplied),
      name: file.name,
      source: { kind: file === receipt ? "receipt" : "file", file },
      manifest: manifests.at(-1)?.text ?? null,
      isWhole: false,
      remarks: [],
    }));
  return (
    <div class="checked-files">
      <SuppliedEvidence
        supplied={supplied}
        onChange={setSupplied}
        title="Drop an export and its manifest or a receipt here, or choose files"
      />
      <div class="actions">
        <Button
          type="button"
          class="primary"
          isOff={file === undefined || isRunning}
          onClick={() => void begin()}
        >
          Verify
        </Button>
        {state.kind === "done" && (
          <button type="button" onClick={() => print()}>
            Print the report
          </button>
        )}
      </div>
      {state.kind === "verifying" && <VerificationProgress progress={state.progress} onCancel={cancel} />}
      {state.kind === "failed" && (
        <p class="failure" role="alert">
          {state.error instanceof Error ? state.error.message : String(state.error)}
        </p>
      )}
      {state.kind === "done" && <OutcomeReport {...state} />}
    </div>
  );
}
