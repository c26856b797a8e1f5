// The checkpoint that this browser keeps of a project: save it elsewhere, or delete it.

import { useState } from "preact/hooks";
import { Confirm } from "../../parts/dialog.tsx";
import { countText } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import { saveFile } from "../../save-file.ts";
import { type BrowserCheckpoint, forget } from "../../verification/browser-checkpoint.ts";

interface BrowserCheckpointSectionProps {
  readonly project: string;
  readonly kept: BrowserCheckpoint | null;
  readonly onDelete: () => void;
}

export function BrowserCheckpointSection({ project, kept, onDelete }: BrowserCheckpointSectionProps) {
  const [isDeleting, setDeleting] = useState(false);
  if (kept === null) return null;
  const { note, size, at } = kept;
  return (
    <section class="kept" aria-label="Stored in this browser">
      <h2>Stored in this browser</h2>
      <p>
        A checkpoint of {countText(size)} records, signed <Time at={at} />. The next verification compares the
        ledger with it. A copy outside this browser is not lost with it.
      </p>
      <div class="actions">
        <button
          type="button"
          onClick={() => void saveFile(new Response(note), `checkpoint-${project}-${size}.txt`)}
        >
          Save the checkpoint
        </button>
        <button type="button" onClick={() => void saveFile(new Response(`${kept.publicKey}\n`), "audit.pub")}>
          Save the public key
        </button>
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </div>
      {isDeleting && (
        <Confirm
          title="Delete the stored checkpoint"
          action="Delete"
          run={async () => {
            forget(project);
            onDelete();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            The next verification compares the ledger with nothing, and trusts the public key of the server.
            Changes of the records before then are not noticed, unless you kept a checkpoint elsewhere.
          </p>
        </Confirm>
      )}
    </section>
  );
}
