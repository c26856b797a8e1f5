// What an erasure has removed, and its receipt.

import { useState } from "preact/hooks";
import type {
  ConversationErasure,
  SubjectErasure,
} from "../../../../clients/typescript/src/generated/models.ts";
import { countOf } from "../../parts/text/count.tsx";
import { saveFile } from "../../save-file.ts";

interface ErasureResultProps {
  readonly what: "subject" | "conversation";
  readonly erasure: SubjectErasure | ConversationErasure;
  readonly onClose: () => void;
}

export function ErasureResult({ what, erasure, onClose }: ErasureResultProps) {
  const changed = "changed" in erasure ? erasure.changed : 0;
  const { memories, checks, records, exports, receipt } = erasure;
  const [isSaved, setSaved] = useState(receipt === undefined);
  const save = async () => {
    await saveFile(new Response(JSON.stringify(receipt)), `receipt-${receipt?.subject}.json`);
    setSaved(true);
  };
  return (
    <section class="card form" role="status">
      <p>
        <strong>The {what} is erased:</strong> {countOf(memories, "memory", "memories")},{" "}
        {countOf(checks, "check")}, what {countOf(records, "record")} said, and {countOf(exports, "export")}.
        {changed > 0 && ` ${countOf(changed, "memory", "memories")} that were said elsewhere, too, stay.`}
      </p>
      {receipt !== undefined && (
        <p>
          Save the receipt, which is shown only here, and keep it outside of the server: after a restore of an
          older backup, it says what to erase again.
        </p>
      )}
      <p class="actions">
        {receipt !== undefined && (
          <button type="button" class="primary" onClick={() => void save()}>
            Save the receipt
          </button>
        )}
        <button type="button" onClick={onClose}>
          {isSaved ? "Close" : "Close without the receipt"}
        </button>
      </p>
    </section>
  );
}
