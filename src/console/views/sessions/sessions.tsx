// Who is signed in to the console. Administrators see and revoke all sessions; own-session.tsx has what the session of a key sees.

import { useMemo, useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { Loading } from "../../parts/progress.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { countOf } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { agoWidth, Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { useQuery } from "../../query.ts";
import { isAdministrator, session as own, signOut } from "../../session.ts";
import { OwnSession } from "./own-session.tsx";

/** As session.list answers it. */
interface ListedSession {
  readonly id: string;
  readonly kind: "administrator" | "key";
  readonly project_name: string | null;
  readonly key_name: string | null;
  readonly os_user: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

export function Sessions() {
  return isAdministrator.value ? <AllSessions /> : <OwnSession />;
}

function AllSessions() {
  const query = useQuery();
  const [isAllAsked, setAllAsked] = useState(false);
  const all = useData("", (signal) => administer<ListedSession[]>("session.list", {}, true, { signal }));
  const rows = useMemo(() => {
    const newestFirst = (all.value ?? []).toReversed();
    return createRows<ListedSession>(async () => ({
      rows: newestFirst,
      next: null,
      total: newestFirst.length,
    }));
  }, [all.value]);
  const openId = query.get("open");
  const open = all.value?.find(({ id }) => id === openId);
  const revokeAll = async () => {
    await administer("session.revoke", { all: true }, true);
    // The own session is one of them, and has ended.
    location.reload();
  };
  return (
    <View
      title="Sessions"
      of="Installation"
      fills
      lead="Who is signed in to the console. A session ends after 12 hours, when the person signs out, or with its key."
      actions={
        <button type="button" onClick={() => setAllAsked(true)}>
          Sign out all
        </button>
      }
    >
      {all.error !== null && <Failure error={all.error} onRetry={all.reload} />}
      {all.value === undefined && all.isLoading && <Loading />}
      {all.value !== undefined && (
        <div class="with-panel">
          <Table
            label="Sessions"
            noun={["session", "sessions"]}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={nameOf}
            openId={openId}
            onOpen={({ id }) => query.set({ open: id })}
            empty={
              <Empty title="Nobody is signed in">
                <p>Run memledger console on the machine of the server for a sign-in link.</p>
              </Empty>
            }
          />
          {open !== undefined && (
            <SessionPanel
              listed={open}
              onClose={() => query.set({ open: null })}
              onRevoked={() => {
                query.set({ open: null }, "replace");
                all.reload();
              }}
            />
          )}
        </div>
      )}
      {isAllAsked && (
        <Confirm
          title="Sign everybody out?"
          action="Sign out all"
          run={revokeAll}
          onClose={() => setAllAsked(false)}
        >
          <p>
            This ends {countOf(all.value?.length ?? 0, "session")}, also yours. API keys stay valid. To sign
            in again, you need a new sign-in link or a key.
          </p>
        </Confirm>
      )}
    </View>
  );
}

/** Who it is: the user of the machine who asked for the link, or the key. */
function nameOf({ kind, os_user, key_name }: ListedSession): string {
  return kind === "administrator" ? (os_user ?? "Administrator") : (key_name ?? "API key");
}

const columns: readonly Column<ListedSession>[] = [
  {
    name: "person",
    title: "Person",
    width: 12,
    grows: true,
    narrow: "title",
    cell: (listed) => (
      <>
        <bdi>{nameOf(listed)}</bdi>{" "}
        {listed.id === own.value?.id && <span class="badge good">This session</span>}
      </>
    ),
  },
  {
    name: "kind",
    title: "Signed in as",
    width: 14,
    cell: ({ kind, project_name }) =>
      kind === "administrator" ? (
        <span class="badge accent">Administrator</span>
      ) : (
        <>
          <span class="badge">Key</span> <bdi>{project_name}</bdi>
        </>
      ),
  },
  {
    name: "ip_address",
    title: "Address",
    width: 10,
    cell: ({ ip_address: address }) => <code>{address ?? "–"}</code>,
  },
  {
    name: "last_used_at",
    title: "Last used",
    width: agoWidth,
    narrow: "hidden",
    cell: ({ last_used_at: at }) => <Time at={at} none="never" ago />,
  },
  {
    name: "expires_at",
    title: "Ends",
    width: agoWidth,
    narrow: "hidden",
    cell: ({ expires_at: at }) => <Time at={at} ago />,
  },
];

interface SessionPanelProps {
  readonly listed: ListedSession;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

function SessionPanel({ listed, onClose, onRevoked }: SessionPanelProps) {
  const [error, setError] = useState<unknown>(null);
  const isOwn = listed.id === own.value?.id;
  const end = async () => {
    try {
      if (isOwn) return await signOut();
      await administer("session.revoke", { session: listed.id }, true);
      showMessage({ text: `The session of ${nameOf(listed)} is revoked.` });
      onRevoked();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <SidePanel title={nameOf(listed)} shows={listed.id} onClose={onClose}>
      <div class="form">
        <dl class="facts">
          <Fact name="Browser" value={<bdi>{listed.user_agent ?? "–"}</bdi>} />
          <Fact name="Address" value={listed.ip_address ?? "–"} />
          <Fact name="Signed in" value={<Time at={listed.created_at} />} />
          <Fact name="Last used" value={<Time at={listed.last_used_at} none="never" />} />
          <Fact name="Ends" value={<Time at={listed.expires_at} />} />
        </dl>
        {error !== null && <Failure error={error} />}
        <p>
          <button type="button" class="danger" onClick={() => void end()}>
            {isOwn ? "Sign out" : "Revoke the session"}
          </button>
        </p>
      </div>
    </SidePanel>
  );
}
