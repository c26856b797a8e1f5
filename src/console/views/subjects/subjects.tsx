// The subjects of a project: each with its number of memories, and one in full beside the table. `?open=` names it.

import { useMemo, useState } from "preact/hooks";
import type { ListedSubject, SubjectErasure } from "../../../../clients/typescript/src/generated/models.ts";
import { useDraft } from "../../drafts.ts";
import { Empty } from "../../parts/empty.tsx";
import { OpenForm } from "../../parts/open-form.tsx";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countOf } from "../../parts/text/count.tsx";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { ErasureResult } from "./erasure-result.tsx";
import { SubjectPanel } from "./subject-panel.tsx";

export function Subjects() {
  const { id: project, client } = useProject();
  const query = useQuery();
  const [round, setRound] = useState(0);
  // The cursor of a page is a subject, which an erasure removes: the list then begins again.
  const rows = useMemo(
    () =>
      createRows<ListedSubject>(async (cursor, signal) => {
        const asked = { page_size: pageSize, cursor: cursor ?? undefined };
        const { subjects, next_cursor: next } = await client.subjects.list(asked, { signal });
        return { rows: subjects, next, total: null };
      }),
    [project, round],
  );
  // No other answer has the receipt, so it stays until it is closed. It has no name.
  const erasure = useDraft<SubjectErasure | null>(`erasure.${project}`, null, isErasure);
  const open = query.get("open");
  const close = () => query.set({ open: null }, "replace");
  return (
    <View title="Subjects" of={projectName(project)} fills>
      {erasure.value !== null && (
        <ErasureResult what="subject" erasure={erasure.value} onClose={erasure.clear} />
      )}
      <OpenForm label="Exact name of a subject" onOpen={(name) => query.set({ open: name })} />
      <div class="with-panel">
        <Table
          label="Subjects"
          noun={["subject", "subjects"]}
          columns={columns}
          rows={rows}
          idOf={({ subject }) => subject}
          nameOf={({ subject }) => subject}
          openId={open}
          onOpen={({ subject }) => query.set({ open: subject }, open === null ? "push" : "replace")}
          empty={<NoSubjects />}
        />
        {open !== null && (
          <SubjectPanel
            key={open}
            name={open}
            onClose={close}
            onErased={(done) => {
              erasure.set(done);
              setRound(round + 1);
              close();
            }}
          />
        )}
      </div>
    </View>
  );
}

const pageSize = 100;

function isErasure(value: unknown): value is SubjectErasure {
  return value !== undefined;
}

const columns: readonly Column<ListedSubject>[] = [
  {
    name: "subject",
    title: "Subject",
    width: 12,
    grows: true,
    narrow: "title",
    cell: ({ subject }) => <bdi>{subject}</bdi>,
  },
  {
    name: "memories",
    title: "Memories",
    width: 9,
    cell: ({ memories }) => <span class="count">{countOf(memories, "memory", "memories")}</span>,
  },
];

function NoSubjects() {
  return (
    <Empty title="No subjects yet">
      <p>
        A subject is a user of your application, whose memories are separate. The first call that names one
        creates it:
      </p>
      <CopyText
        text={`curl -X POST ${location.origin}/v1/memories \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"content": "The user is vegetarian.", "memory_type": "fact", "subject": "user:42"}'`}
        what="the command"
        form="block"
      />
    </Empty>
  );
}
