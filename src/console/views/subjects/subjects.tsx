// The subjects of a project: each with its number of memories, and one in full beside the table. `?open=` names it.

import { useMemo, useState } from "preact/hooks";
import type { ListedSubject, SubjectErasure } from "../../../../clients/typescript/src/generated/models.ts";
import { useDraft } from "../../drafts.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { Count } from "../../parts/count.tsx";
import { Empty } from "../../parts/empty.tsx";
import { createRows } from "../../parts/rows.ts";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { Erased } from "./erased.tsx";
import { SubjectPanel } from "./subject-panel.tsx";

export function Subjects() {
  const { id: project, client } = useProject();
  const query = useQuery();
  const [round, setRound] = useState(0);
  // After an erasure, the cursor of a page may be that of the subject that is no more.
  const rows = useMemo(
    () =>
      createRows<ListedSubject>(async (cursor, signal) => {
        const asked = { page_size: 100, cursor: cursor ?? undefined };
        const { subjects, next_cursor: next } = await client.subjects.list(asked, { signal });
        return { rows: subjects, next, total: null };
      }),
    [project, round],
  );
  // The receipt is in no other answer, so it survives a reload.
  const erasure = useDraft<SubjectErasure | null>(`erasure.${project}`, null, isErasure);
  const open = query.get("open");
  const close = () => query.set({ open: null }, "replace");
  return (
    <View title="Subjects" of={projectName(project)} fills>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const name = new FormData(event.currentTarget).get("name");
          if (typeof name === "string") query.set({ open: name.trim() });
        }}
      >
        <input
          type="search"
          name="name"
          required
          dir="auto"
          placeholder="Exact name of a subject"
          aria-label="Exact name of a subject"
        />
        <button type="submit">Open</button>
      </form>
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
              if (done.receipt !== undefined) erasure.set(done);
              setRound(round + 1);
              close();
            }}
          />
        )}
      </div>
      {erasure.value !== null && <Erased erasure={erasure.value} onClose={erasure.clear} />}
    </View>
  );
}

function isErasure(value: unknown): value is SubjectErasure {
  return typeof value === "object" && value !== null && "receipt" in value;
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
    width: 7,
    align: "end",
    cell: ({ memories }) => <Count value={memories} />,
  },
];

function NoSubjects() {
  const command = `curl -X POST ${location.origin}/v1/memories \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"content": "The user is vegetarian.", "memory_type": "fact", "subject": "user:42"}'`;
  return (
    <Empty title="No subjects yet">
      <p>
        A subject is a user of your application, whose memories are kept apart. The first call that names one
        makes it:
      </p>
      <CopyText text={command} what="the command" form="block" />
    </Empty>
  );
}
