// Verifies files without a project and without a session: exports of any server.

import { View } from "../../parts/view.tsx";
import { CheckedFiles } from "../../verification/checked-files.tsx";
import { startWorker } from "./start-worker.ts";

export function FileProof() {
  return (
    <View
      title="Proof of files"
      lead="Verifies exports of the audit ledger in this browser. The files are not sent to the server."
      actions={
        <a class="button" href="/console/verifier.html" download>
          Save as one HTML file
        </a>
      }
    >
      <CheckedFiles startWorker={startWorker} />
      <p class="quiet">
        This page came from the server whose ledger it verifies. An auditor who does not trust this server
        uses the HTML file of another source, on a machine of their own.
      </p>
    </View>
  );
}
