// What a person supplies for a verification: files that are dropped, chosen or pasted. The same on the pages of the console and on the
// saved page.

import { useState } from "preact/hooks";
import type { SuppliedFile } from "../../audit/verify/evidence.ts";
import { type InputFiles, sortFiles } from "./input-files.ts";
import type { VerificationRequest } from "./messages.ts";

export interface Supplied {
  readonly files: InputFiles;
  /** What was pasted. */
  readonly publicKey: string;
  readonly checkpoint: string;
}

const noFiles: InputFiles = {
  exports: [],
  receipts: [],
  manifests: [],
  publicKeys: [],
  rotations: [],
  checkpoints: [],
  policies: [],
  refused: [],
};
export const nothingSupplied: Supplied = { files: noFiles, publicKey: "", checkpoint: "" };

interface SuppliedEvidenceProps {
  readonly supplied: Supplied;
  readonly onChange: (change: (before: Supplied) => Supplied) => void;
  /** What to drop. */
  readonly title: string;
}

export function SuppliedEvidence({ supplied, onChange, title }: SuppliedEvidenceProps) {
  const add = async (chosen: Iterable<File>) => {
    const found = await sortFiles(chosen);
    onChange((before) => ({ ...before, files: joined(before.files, found) }));
  };
  return (
    <>
      <DropPlace title={title} onFiles={add} />
      {supplied.files !== noFiles && (
        <FileList
          files={supplied.files}
          onClear={() => onChange((before) => ({ ...before, files: noFiles }))}
        />
      )}
      <div class="field">
        <label for="verify-public-key">Public key</label>
        <textarea
          id="verify-public-key"
          rows={2}
          spellcheck={false}
          placeholder="memledger+4e81dd32+AVnJ..."
          value={supplied.publicKey}
          onInput={({ currentTarget: { value } }) => onChange((before) => ({ ...before, publicKey: value }))}
          aria-describedby="verify-public-key-help"
        />
        <p class="help" id="verify-public-key-help">
          Use a copy that was kept outside the server. A key that comes with the export proves only that the
          two belong together. For a receipt, add the keys of witnesses, each on a line.
        </p>
      </div>
      <div class="field">
        <label for="verify-checkpoint">Kept checkpoint</label>
        <textarea
          id="verify-checkpoint"
          rows={6}
          spellcheck={false}
          value={supplied.checkpoint}
          onInput={({ currentTarget: { value } }) => onChange((before) => ({ ...before, checkpoint: value }))}
          aria-describedby="verify-checkpoint-help"
        />
        <p class="help" id="verify-checkpoint-help">
          The output of <code>memledger audit checkpoint</code>, kept where nobody with access to the server
          can change it. Without one, a holder of the signing key could have rewritten the records.
        </p>
      </div>
    </>
  );
}

/** Public keys, statements and checkpoints, as a verification reads them. */
export function evidenceOf({
  files,
  publicKey,
  checkpoint,
}: Supplied): Pick<VerificationRequest, "publicKey" | "rotations" | "checkpoints" | "policy"> {
  const texts = (supplied: readonly SuppliedFile[]) => supplied.map(({ text }) => text);
  const keys = [...texts(files.publicKeys), publicKey].join("\n");
  const isPasted = checkpoint.trim() !== "";
  return {
    publicKey: keys.trim() === "" ? null : keys,
    rotations: texts(files.rotations).join("\n"),
    policy: files.policies.at(-1) ?? null,
    checkpoints: [
      ...files.checkpoints,
      ...(isPasted ? [{ name: "the kept checkpoint", text: checkpoint }] : []),
    ],
  };
}

interface DropPlaceProps {
  readonly title: string;
  readonly onFiles: (files: Iterable<File>) => void;
}

function DropPlace({ title, onFiles }: DropPlaceProps) {
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
      <strong>{title}</strong>
      <span class="quiet">
        JSON or CSV, also compressed with gzip, or a receipt of a record. Public keys, kept checkpoints,
        audit.rotations and, for a receipt, a policy (C2SP tlog-policy) are recognised, too. The files stay on
        this machine.
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
    ["Receipt", files.receipts.at(-1)?.name],
    ["Manifest", files.manifests.at(-1)?.name],
    ["Public key", files.publicKeys.map(({ name }) => name).join(", ")],
    ["Kept checkpoint", files.checkpoints.map(({ name }) => name).join(", ")],
    ["Policy", files.policies.at(-1)?.name],
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
    receipts: [...before.receipts, ...found.receipts],
    manifests: [...before.manifests, ...found.manifests],
    publicKeys: [...before.publicKeys, ...found.publicKeys],
    rotations: [...before.rotations, ...found.rotations],
    checkpoints: [...before.checkpoints, ...found.checkpoints],
    policies: [...before.policies, ...found.policies],
    refused: found.refused,
  };
}
