// One subject beside the table: how much there is of it, links to its memories and records, its export, and its erasure.

import { useState } from "preact/hooks";
import type { SubjectErasure } from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import { clientOf } from "../../api/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, type Why } from "../../parts/dialog.tsx";
import { Failure, readFailure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Loading } from "../../parts/progress.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { useData } from "../../parts/use-data.ts";
import { linkTo, useProject } from "../../project.ts";
import { saveFile } from "../../save-file.ts";

interface SubjectPanelProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onErased: (erasure: SubjectErasure) => void;
}

/** What there is of a subject. Only a dry run of its erasure counts everything. */
type Holdings = Pick<SubjectErasure, "memories"> & Partial<SubjectErasure>;

export function SubjectPanel({ name, onClose, onErased }: SubjectPanelProps) {
  const { id: project, client } = useProject();
  const canErase = isAllowed("subject.erase");
  const [isAsked, setAsked] = useState(false);
  const { value, error, isLoading, reload } = useData(name, async (signal): Promise<Holdings> => {
    if (canErase) return client.subjects.erase(name, { dry_run: true }, { signal });
    const { total } = await clientOf(project, name).memories.statistics({ signal });
    return { memories: total };
  });
  const { memories = 0, checks = 0, records = 0 } = value ?? {};
  const erase = async (why: Why) => onErased(await client.subjects.erase(name, why));
  return (
    <SidePanel title="Subject" shows={name} onClose={onClose}>
      <div class="form">
        <p class="actions">
          <a class="button" href={linkTo("memories", { subject: name })}>
            Memories
          </a>
          <a class="button" href={linkTo("conversations", { subject: name })}>
            Conversations
          </a>
          {isAllowed("audit.read") && (
            <a class="button" href={linkTo("ledger", { subject: name })}>
              Records
            </a>
          )}
          {isAllowed("audit.read") && <Export name={name} />}
        </p>
        {error !== null && <Failure error={error} onRetry={reload} />}
        {value === undefined && isLoading && <Loading />}
        <dl class="facts">
          <Fact name="Name" value={<CopyText text={name} what="the name of the subject" />} />
          <Fact name="Memories" class="count" value={textOf(value?.memories)} />
          <Fact name="Checks" class="count" value={textOf(value?.checks)} />
          <Fact name="Records" class="count" value={textOf(value?.records)} />
        </dl>
        {canErase && (
          <p>
            <Button type="button" class="danger" isOff={value === undefined} onClick={() => setAsked(true)}>
              Erase…
            </Button>
          </p>
        )}
      </div>
      {isAsked && (
        <Confirm
          title="Erase the subject?"
          action="Erase the subject"
          typed={name}
          asksReason
          run={erase}
          onClose={() => setAsked(false)}
        >
          <p>
            {countOf(memories, "memory", "memories")} and {countOf(checks, "check")} are deleted, and
            everything that was said and answered is erased from {countOf(records, "record")}. So are the
            name, keys for this subject alone, and exports with these records. The ledger still verifies. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </SidePanel>
  );
}

/** Null: not counted. */
function textOf(count: number | undefined): string | null {
  return count === undefined ? null : countText(count);
}

/** Saves everything that is stored about the subject, for a person who asks for it. */
function Export({ name }: Pick<SubjectPanelProps, "name">) {
  const { client } = useProject();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const text = JSON.stringify(await client.subjects.export(name), null, 2);
      await saveFile(
        new Response(text),
        `subject-${name.replaceAll(/[^\p{L}\p{N}.]+/gu, "-").slice(0, 50)}.json`,
      );
    } catch (error) {
      showMessage({ kind: "warning", text: readFailure(error).text });
    }
    setSaving(false);
  };
  return (
    <Button type="button" isOff={isSaving} onClick={() => void save()}>
      Export
    </Button>
  );
}
