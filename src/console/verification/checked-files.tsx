// Verifies files that a person drops or chooses, with progress, and shows the outcome. The same on the page of the console and on the
// saved page.

import { useEffect, useRef, useState } from "preact/hooks";
import type { SuppliedFile } from "../../audit/verify/evidence.ts";
import { type InputFiles, sortFiles } from "./input-files.ts";
import type { VerificationRequest } from "./messages.ts";
import type { Outcome } from "./outcome.ts";
import { OutcomeReport } from "./outcome-report.tsx";
import { startVerification, type Verification } from "./verification.ts";
import { VerificationProgress } from "./verification-progress.tsx";
import type { Progress } from "./verify-export.ts";

const nothing: InputFiles = {
  exports: [],
  manifests: [],
  publicKeys: [],
  rotations: [],
  checkpoints: [],
  refused: [],
};

interface CheckedFilesProps {
  /** Starts a worker that runs worker.ts. */
  readonly startWorker: () => Worker;
}

export function CheckedFiles({ startWorker }: CheckedFilesProps) {
  const [files, setFiles] = useState(nothing);
  const [publicKey, setPublicKey] = useState("");
  const [checkpoint, setCheckpoint] = useState("");
  const [progress, setProgress] = useState<Progress | null>(null);
  const [result, setResult] = useState<{ readonly name: string; readonly outcome: Outcome } | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<Verification | null>(null);
  useEffect(() => () => running.current?.cancel(), []);

  const add = async (chosen: Iterable<File>) => {
    const found = await sortFiles(chosen);
    setFiles((before) => joined(before, found));
    setResult(null);
  };
  const file = files.exports.at(-1);
  const verify = async () => {
    if (file === undefined) return;
    setResult(null);
    setFailure(null);
    setProgress({ doneBytes: 0, totalBytes: file.size });
    const started = startVerification(
      toRequest(file, files, { publicKey, checkpoint }),
      startWorker,
      setProgress,
    );
    running.current = started;
    try {
      const outcome = await started.outcome;
      if (outcome !== null) setResult({ name: file.name, outcome });
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setProgress(null);
    }
  };
  return (
    <div class="checked-files">
      <DropPlace onFiles={add} />
      {files !== nothing && <FileList files={files} onClear={() => setFiles(nothing)} />}
      <div class="field">
        <label for="verify-public-key">Public key</label>
        <textarea
          id="verify-public-key"
          rows={2}
          spellcheck={false}
          placeholder="memledger+4e81dd32+AVnJ..."
          value={publicKey}
          onInput={({ currentTarget }) => setPublicKey(currentTarget.value)}
          aria-describedby="verify-public-key-help"
        />
        <p class="help" id="verify-public-key-help">
          Use a copy that was kept outside the server. A key that comes with the export proves only that the
          two belong together.
        </p>
      </div>
      <div class="field">
        <label for="verify-checkpoint">Kept checkpoint</label>
        <textarea
          id="verify-checkpoint"
          rows={6}
          spellcheck={false}
          value={checkpoint}
          onInput={({ currentTarget }) => setCheckpoint(currentTarget.value)}
          aria-describedby="verify-checkpoint-help"
        />
        <p class="help" id="verify-checkpoint-help">
          The output of <code>memledger audit checkpoint</code>, kept where nobody with access to the server
          can change it. Without one, a holder of the signing key could have rewritten the records.
        </p>
      </div>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={file === undefined || progress !== null}
          onClick={() => void verify()}
        >
          Verify
        </button>
        {result !== null && (
          <button type="button" onClick={() => print()}>
            Print the report
          </button>
        )}
      </div>
      {progress !== null && (
        <VerificationProgress progress={progress} onCancel={() => running.current?.cancel()} />
      )}
      {failure !== null && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {result !== null && <OutcomeReport {...result} />}
    </div>
  );
}

function DropPlace({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | null | undefined) => onFiles([...(list ?? [])]);
  return (
    <label
      class="drop-place"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <strong>Drop the export and its manifest here, or choose files</strong>
      <span class="quiet">
        JSON or CSV, also compressed with gzip. Public keys, kept checkpoints and audit.rotations are
        recognised, too. The files stay on this machine.
      </span>
      <input
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // The same files can be chosen again.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

function FileList({ files, onClear }: { readonly files: InputFiles; readonly onClear: () => void }) {
  const rows = [
    ["Export", files.exports.at(-1)?.name],
    ["Manifest", files.manifests.at(-1)?.name],
    ["Public key", files.publicKeys.map(({ name }) => name).join(", ")],
    ["Kept checkpoint", files.checkpoints.map(({ name }) => name).join(", ")],
    ["Changes of the key", files.rotations.map(({ name }) => name).join(", ")],
    ["Not used", files.refused.join(" ")],
  ].filter(([, value]) => value !== undefined && value !== "");
  return (
    <div class="file-list">
      <dl class="proof-facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClear}>
        Remove all files
      </button>
    </div>
  );
}

function joined(before: InputFiles, found: InputFiles): InputFiles {
  return {
    exports: [...before.exports, ...found.exports],
    manifests: [...before.manifests, ...found.manifests],
    publicKeys: [...before.publicKeys, ...found.publicKeys],
    rotations: [...before.rotations, ...found.rotations],
    checkpoints: [...before.checkpoints, ...found.checkpoints],
    refused: found.refused,
  };
}

interface Pasted {
  readonly publicKey: string;
  readonly checkpoint: string;
}

function toRequest(file: File, files: InputFiles, pasted: Pasted): VerificationRequest {
  const texts = (supplied: readonly SuppliedFile[]) => supplied.map(({ text }) => text);
  const keys = [...texts(files.publicKeys), pasted.publicKey].join("\n");
  const isPasted = pasted.checkpoint.trim() !== "";
  return {
    name: file.name,
    source: { kind: "file", file },
    manifest: files.manifests.at(-1)?.text ?? null,
    publicKey: keys.trim() === "" ? null : keys,
    rotations: texts(files.rotations).join("\n"),
    checkpoints: [
      ...files.checkpoints,
      ...(isPasted ? [{ name: "the kept checkpoint", text: pasted.checkpoint }] : []),
    ],
    isWhole: false,
    remarks: [],
  };
}
