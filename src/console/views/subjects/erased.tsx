// What an erasure has removed, and its receipt, which no other answer has: it is closed by its button only.

import { useState } from "preact/hooks";
import type { SubjectErasure } from "../../../../clients/typescript/src/generated/models.ts";
import { countOf } from "../../parts/count.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { saveFile } from "../../save-file.ts";

interface ErasedProps {
  readonly erasure: SubjectErasure;
  readonly onClose: () => void;
}

export function Erased({ erasure, onClose }: ErasedProps) {
  const { memories, checks, records, exports, receipt } = erasure;
  const [isSaved, setSaved] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const save = async () => {
    await saveFile(new Response(JSON.stringify(receipt)), `receipt-${receipt?.subject}.json`);
    setSaved(true);
  };
  return (
    <Dialog title="The subject is erased" onClose={isSaved ? onClose : () => setLeaving(true)}>
      <div class="form">
        <p>
          {countOf(memories, "memory", "memories")}, {countOf(checks, "check")}, what{" "}
          {countOf(records, "record")} said about it, and {countOf(exports, "export")} were erased.
        </p>
        <p>
          The receipt proves it. Keep it outside of the server: whoever restores an older backup needs it to
          know what was erased since.
        </p>
        {isLeaving && !isSaved && (
          <p class="failure" role="alert">
            The receipt is shown only here, and this was not closed. Save it first.
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            {isSaved ? "Close" : "Close without the receipt"}
          </button>
          <button type="button" class="primary" onClick={() => void save()}>
            Save the receipt
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
