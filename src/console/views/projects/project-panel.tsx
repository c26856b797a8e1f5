// One project beside the table: its options, which can be changed, and links to its views. A change that deletes records asks first.

import { useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Failure, failedField } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useForm } from "../../parts/use-form.ts";
import { pathOf } from "../../project.ts";
import { OptionFields } from "./option-fields.tsx";
import { PlanContents } from "./plan-contents.tsx";
import { changesOf, optionsOf, type ProjectDetail } from "./project-detail.ts";

/** As project.preview_retention answers it. */
interface Preview {
  readonly days_after: number | null;
  readonly is_shorter: boolean;
  readonly records: number;
}

interface ProjectPanelProps {
  readonly project: ProjectDetail;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function ProjectPanel({ project, onClose, onChanged }: ProjectPanelProps) {
  const before = optionsOf(project);
  const [options, setOptions] = useState(before);
  const [preview, setPreview] = useState<Preview | null>(null);
  const changes = changesOf(before, options);
  const isChanged = Object.keys(changes).length > 0;
  const input = { project: project.id, ...changes };
  const update = async () => {
    await administer("project.update", input, true);
    showMessage({ text: `The project ${project.name} is changed.` });
    onChanged();
  };
  const { error, submit } = useForm(async () => {
    const found = await administer<Preview>("project.preview_retention", input, true);
    if (found.is_shorter) setPreview(found);
    else await update();
  });
  return (
    <SidePanel title={project.name} shows={project.id} onClose={onClose}>
      <div class="form">
        <p class="actions">
          <a class="button" href={pathOf("project-overview", project.id)}>
            Overview
          </a>
          <a class="button" href={pathOf("memories", project.id)}>
            Memories
          </a>
          <a class="button" href={pathOf("keys", project.id)}>
            Keys
          </a>
        </p>
        <dl class="facts">
          <Fact name="Id" value={<CopyText text={project.id} what="the id of the project" />} />
          <Fact name="Created" value={<Time at={project.created_at} />} />
          <Fact name="Memories" class="count" value={countText(project.memories)} />
          <Fact name="Passages" class="count" value={countText(project.passages)} />
          <Fact name="Valid keys" class="count" value={countText(project.keys)} />
        </dl>
        <form onSubmit={submit}>
          <OptionFields options={options} previous={before.plan} onChange={setOptions} error={error} />
          {error !== null && failedField(error) === null && <Failure error={error} />}
          <p class="actions">
            <Button type="submit" class="primary" isOff={!isChanged}>
              Save
            </Button>
            {isChanged && (
              <button type="button" onClick={() => setOptions(before)}>
                Discard
              </button>
            )}
          </p>
        </form>
      </div>
      {preview !== null && (
        <Confirm
          title="Keep records for a shorter time?"
          action="Shorten the retention"
          typed={preview.records > 0 ? project.name : null}
          run={update}
          onClose={() => setPreview(null)}
        >
          <PlanContents plan={options.plan} previous={before.plan} />
          <p>
            Records will be kept for {countOf(preview.days_after ?? 0, "day")}.{" "}
            {preview.records === 0
              ? "No record is older."
              : `${countOf(preview.records, "record")} will be deleted. This cannot be undone.`}
          </p>
        </Confirm>
      )}
    </SidePanel>
  );
}
