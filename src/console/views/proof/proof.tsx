// Verifies the ledger of a project in this browser, and compares it with the checkpoint of the last time and with what a person kept.

import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Progress } from "../../parts/progress.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import { View } from "../../parts/view.tsx";
import { pathOf, projectName, useProject } from "../../project.ts";
import { type BrowserCheckpoint, keep, readKept } from "../../verification/browser-checkpoint.ts";
import { OutcomeReport } from "../../verification/outcome-report.tsx";
import { evidenceOf, nothingSupplied, SuppliedEvidence } from "../../verification/supplied-evidence.tsx";
import { useVerification } from "../../verification/use-verification.ts";
import { VerificationProgress } from "../../verification/verification-progress.tsx";
import { useRetention } from "../exports/begin-export.ts";
import { BrowserCheckpointSection } from "./browser-checkpoint-section.tsx";
import { CheckpointList } from "./checkpoint-list.tsx";
import { readProjectLedger } from "./project-ledger.ts";
import { startWorker } from "./start-worker.ts";
import type { Written } from "./written-export.ts";

export function Proof() {
  const { id } = useProject();
  // Nothing of one project is shown for another one.
  return <ProjectProof key={id} />;
}

function ProjectProof() {
  const { id, client } = useProject();
  const retention = useRetention();
  const [kept, setKept] = useState(() => readKept(id));
  const [supplied, setSupplied] = useState(nothingSupplied);
  const [written, setWritten] = useState<Written | null>(null);
  const [isUncovered, setUncovered] = useState(false);
  const { state, isRunning, verify, cancel } = useVerification(startWorker);
  const begin = async () => {
    const signed: BrowserCheckpoint[] = [];
    setWritten(null);
    setUncovered(false);
    const outcome = await verify(async (signal) => {
      const ledger = await readProjectLedger(id, client, {
        kept,
        supplied,
        retention,
        signal,
        onWritten: setWritten,
      });
      const { note, public_key: publicKey, size, created_at: at } = ledger.newest;
      signed.push({ note, publicKey, size, at });
      return ledger.request;
    });
    const [newest] = signed;
    if (outcome === null || newest === undefined) return;
    const isUnattested = outcome.verdict === "unattested";
    setUncovered(kept !== null && isUnattested);
    // A kept checkpoint that covers nothing here may be of a chain that was replaced. It is evidence, so it stays.
    if (outcome.verdict !== "intact" && !(kept === null && isUnattested)) return;
    if (outcome.keys.includes(newest.publicKey)) setKept(keep(id, newest));
  };
  return (
    <View
      title="Proof"
      of={projectName(id)}
      lead="This browser downloads all records of the project and verifies them itself."
      actions={
        <>
          <a class="button" href={pathOf("file-proof")}>
            Verify files
          </a>
          <Button type="button" class="primary" isOff={isRunning} onClick={() => void begin()}>
            Verify the ledger
          </Button>
        </>
      }
    >
      {state.kind === "preparing" && (
        <Progress
          label="The server writes the export"
          done={written?.done ?? 0}
          total={written === null ? null : written.total}
          {...(written === null
            ? {}
            : { detail: `${countText(written.done)} of ${countOf(written.total, "record")}` })}
          onCancel={cancel}
        />
      )}
      {state.kind === "verifying" && <VerificationProgress progress={state.progress} onCancel={cancel} />}
      {state.kind === "failed" && <Failure error={state.error} onRetry={() => void begin()} />}
      {state.kind === "done" && (
        <>
          {isUncovered && (
            <p class="failure" role="alert">
              No checkpoint that was kept of the project covers these records. Retention has removed the
              records that it covers, or the chain was replaced by another one. Ask the operator for the
              reason.
            </p>
          )}
          <OutcomeReport
            {...state}
            recordLink={(seq) => (
              <a class="button" href={`${pathOf("ledger", id)}?seq=${seq}`}>
                {`Show record ${countText(seq)} in the ledger`}
              </a>
            )}
          />
        </>
      )}
      <BrowserCheckpointSection project={id} kept={kept} onDelete={() => setKept(null)} />
      <CheckpointList />
      {/* Its fields are those that the advice names. */}
      <details class="compare" open={state.kind === "done" && state.outcome.verdict === "unattested"}>
        <summary>Compare with a checkpoint that was kept elsewhere</summary>
        <div class="checked-files">
          <SuppliedEvidence
            supplied={supplied}
            onChange={setSupplied}
            title="Drop kept checkpoints and public keys here, or choose files"
          />
          {supplied.files.exports.length > 0 && (
            <p class="failure" role="alert">
              An export is verified on another page. <a href={pathOf("file-proof")}>Verify files</a>
            </p>
          )}
          <p class="quiet">
            {evidenceOf(supplied).checkpoints.length === 0
              ? "Nothing to compare with yet."
              : "They are compared with the ledger the next time that it is verified."}
          </p>
        </div>
      </details>
    </View>
  );
}
