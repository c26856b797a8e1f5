// One export: what it has, how far it is, and what can be downloaded.

import { useState } from "preact/hooks";
import type { ExportDetail } from "../../../../clients/typescript/src/index.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Progress } from "../../parts/progress.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { bytesText, countOf, countText } from "../../parts/text/count.tsx";
import { Time, timeText, zoneChoice } from "../../parts/text/time.tsx";
import { spanText } from "../../parts/text/time-span.tsx";
import { useProject } from "../../project.ts";
import { saveFile } from "../../save-file.ts";

const shownCharacters = 12;

export function ExportItem({ made }: { readonly made: ExportDetail }) {
  const { client } = useProject();
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setSaving] = useState(false);
  const { export_id: id, status, records, estimated_records: estimated, format } = made;
  const zone = zoneChoice.value;
  const save = async (what: "file" | "manifest") => {
    setSaving(true);
    setError(null);
    try {
      const name = `audit-${id}.${format}`;
      await (what === "file"
        ? saveFile(await client.audit.exportDownload(id), name)
        : saveFile(await client.audit.exportManifest(id), `${name}.manifest`));
    } catch (failure) {
      setError(failure);
    }
    setSaving(false);
  };
  return (
    <li class="card export" data-status={status}>
      <header>
        <span class="badge">{format.toUpperCase()}</span>
        <h2>{spanText({ start: made.start_time, end: made.end_time }, zone)}</h2>
        {made.filter !== null && <span class="badge">some records</span>}
        {status === "failed" && <span class="badge danger">failed</span>}
        {status === "completed" && (
          <div class="actions">
            <Button type="button" isOff={isSaving} onClick={() => void save("file")}>
              Download
            </Button>
            <Button type="button" isOff={isSaving} onClick={() => void save("manifest")}>
              Manifest
            </Button>
          </div>
        )}
      </header>
      {status === "processing" && (
        <Progress
          label="The server writes the file"
          done={records}
          total={estimated}
          detail={`${countText(records)} of ${countOf(estimated, "record")}`}
        />
      )}
      {status === "failed" && (
        <p dir="auto">{`${made.error ?? "The reason is not known."} Begin another export.`}</p>
      )}
      {status === "completed" && (
        <p class="quiet count">
          {countOf(records, "record")}
          {made.bytes !== null && ` · ${bytesText(made.bytes)}`} · written <Time at={made.completed_at} ago />
          {made.expires_at !== null && (
            <span title={timeText(made.expires_at, zone)}>
              {" "}
              · removed <Time at={made.expires_at} ago />
            </span>
          )}
        </p>
      )}
      {made.sha256 !== null && (
        <p class="quiet">
          SHA-256{" "}
          <CopyText text={made.sha256} what="the SHA-256 of the file" shownCharacters={shownCharacters} />
        </p>
      )}
      {status === "completed" && <Manifest id={id} />}
      {error !== null && <Failure error={error} />}
    </li>
  );
}

/** The signed statement about the file. It is read when it is opened, because the call adds a record. */
function Manifest({ id }: { readonly id: string }) {
  const { client } = useProject();
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const read = () =>
    client.audit
      .exportManifest(id)
      .then((response) => response.text())
      .then(setText, setError);
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && text === null && void read()}>
      <summary>What the manifest states</summary>
      {error !== null && <Failure error={error} onRetry={() => void read()} />}
      {text !== null && <pre>{readable(text)}</pre>}
    </details>
  );
}

/** With one line for each member, and the signature below. */
function readable(manifest: string): string {
  const [heading = "", body = "", , signature = ""] = manifest.split("\n");
  try {
    return `${heading}\n${JSON.stringify(JSON.parse(body), null, 2).replaceAll("\\n", "\n    ")}\n${signature}`;
  } catch {
    return manifest;
  }
}
