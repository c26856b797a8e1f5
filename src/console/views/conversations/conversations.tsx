// The conversations of a project or of a subject: a list, and one in full. `?open=` names it, `&at=` the memory whose place is shown.

import { useMemo } from "preact/hooks";
import type {
  ConversationErasure,
  ListedConversation,
} from "../../../../clients/typescript/src/generated/models.ts";
import { useDraft } from "../../drafts.ts";
import { Empty } from "../../parts/empty.tsx";
import { OpenForm } from "../../parts/open-form.tsx";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { countText } from "../../parts/text/count.tsx";
import { agoWidth, Time } from "../../parts/text/time.tsx";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { ErasureResult } from "../subjects/erasure-result.tsx";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { Reader } from "./reader.tsx";

export function Conversations() {
  const { id: project, subject, owner } = useProject();
  const query = useQuery();
  const open = query.get("open");
  // No other answer has the receipt, so it stays until it is closed. It has no name.
  const erasure = useDraft<ConversationErasure | null>(`erasure.conversation.${project}`, null, isErasure);
  const close = () => query.set({ open: null, at: null });
  return (
    <View
      title="Conversations"
      of={projectName(project)}
      lead={subject === null ? undefined : <SubjectLine />}
      fills={open === null}
    >
      {erasure.value !== null && (
        <ErasureResult what="conversation" erasure={erasure.value} onClose={erasure.clear} />
      )}
      {open === null ? (
        <ConversationList onOpen={(name) => query.set({ open: name })} />
      ) : (
        <Reader
          key={`${owner} ${open}`}
          name={open}
          at={query.get("at")}
          onClose={close}
          onErased={(done) => {
            erasure.set(done);
            close();
          }}
        />
      )}
    </View>
  );
}

function ConversationList({ onOpen }: { readonly onOpen: (name: string) => void }) {
  const { id: project, subject, client } = useProject();
  const rows = useMemo(
    () =>
      createRows<ListedConversation>(async (cursor, signal) => {
        const asked = { page_size: pageSize, cursor: cursor ?? undefined };
        const { conversations, next_cursor: next } = await client.conversations.list(asked, { signal });
        return { rows: conversations, next, total: null };
      }),
    [project, subject],
  );
  return (
    <>
      <OpenForm label="Exact id of a conversation" onOpen={onOpen} />
      <Table
        label="Conversations"
        noun={["conversation", "conversations"]}
        columns={columns}
        rows={rows}
        idOf={({ conversation }) => conversation}
        nameOf={({ conversation }) => conversation}
        onOpen={({ conversation }) => onOpen(conversation)}
        empty={
          <Empty title="No conversations yet">
            <p>
              Hooks name the conversations that they remember, and so can{" "}
              <code>POST /v1/memories/extract</code> with <code>conversation</code>, and requests to the
              gateway with the header <code>Memledger-Conversation</code>.
            </p>
          </Empty>
        }
      />
    </>
  );
}

const pageSize = 100;

function isErasure(value: unknown): value is ConversationErasure {
  return value !== undefined;
}

const columns: readonly Column<ListedConversation>[] = [
  {
    name: "conversation",
    title: "Conversation",
    width: 12,
    grows: true,
    narrow: "title",
    cell: ({ conversation }) => <bdi>{conversation}</bdi>,
  },
  {
    name: "passages",
    title: "Passages",
    width: 6,
    align: "end",
    cell: ({ passages }) => <span class="count">{countText(passages)}</span>,
  },
  {
    name: "kept",
    title: "Kept",
    width: 5,
    align: "end",
    cell: ({ kept }) => <span class="count">{countText(kept)}</span>,
  },
  {
    name: "first_at",
    title: "Began",
    width: agoWidth,
    narrow: "hidden",
    cell: ({ first_at }) => <Time at={first_at} ago />,
  },
  { name: "last_at", title: "Last said", width: agoWidth, cell: ({ last_at }) => <Time at={last_at} ago /> },
];
