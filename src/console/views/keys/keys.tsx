// The API keys of a project, for administrators: create one, see which are used, revoke. `?key=` names the key beside the table.

import { useMemo, useState } from "preact/hooks";
import { administer } from "../../api/calls.ts";
import { now } from "../../clock.ts";
import { Confirm, type Why } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Switch } from "../../parts/field.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { NewButton } from "../../parts/new-button.tsx";
import { Loading } from "../../parts/progress.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { createRows } from "../../parts/table/rows.ts";
import { Table } from "../../parts/table/table.tsx";
import type { Column } from "../../parts/table/types.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Tags } from "../../parts/text/tag-input.tsx";
import { agoWidth, Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { useQuery } from "../../query.ts";
import { GatewayForm } from "./gateway-form.tsx";
import { type KeyDetail, permissions, stateOf } from "./key-detail.ts";
import { NewKey } from "./new-key.tsx";

export function Keys() {
  const { id: project } = useProject();
  const query = useQuery();
  const all = useData(project, (signal) =>
    administer<KeyDetail[]>("key.list", { project }, true, { signal }),
  );
  const areAllShown = query.get("show") === "all";
  const rows = useMemo(() => {
    const shown = (all.value ?? [])
      .filter((key) => areAllShown || stateOf(key, now()) === "valid")
      .toReversed();
    return createRows<KeyDetail>(async () => ({ rows: shown, next: null, total: shown.length }));
  }, [all.value, areAllShown]);
  const openId = query.get("key");
  const open = all.value?.find(({ id }) => id === openId);
  const create = () => query.set({ new: "key" });
  return (
    <View
      title="Keys"
      of={projectName(project)}
      fills
      actions={<NewButton what="key" group="Keys" onClick={create} />}
    >
      <div class="filters">
        <Switch
          label="Show expired and revoked keys"
          isOn={areAllShown}
          onChange={(isOn) => query.set({ show: isOn ? "all" : null }, "replace")}
        />
      </div>
      {all.error !== null && <Failure error={all.error} onRetry={all.reload} />}
      {all.value === undefined && all.isLoading && <Loading />}
      {all.value !== undefined && (
        <div class="with-panel">
          <Table
            label="Keys"
            noun={["key", "keys"]}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            openId={openId}
            onOpen={({ id }) => query.set({ key: id })}
            empty={
              <Empty title="There are no valid keys">
                <p>Create one for each assistant or program that uses the project.</p>
              </Empty>
            }
          />
          {open !== undefined && (
            <KeyPanel detail={open} onClose={() => query.set({ key: null })} onChanged={all.reload} />
          )}
        </div>
      )}
      {query.get("new") === "key" && (
        <NewKey
          project={project}
          onClose={() => query.set({ new: null }, "replace")}
          onCreated={all.reload}
        />
      )}
    </View>
  );
}

const badges = { valid: "good", expired: "warning", revoked: "danger" };

function State({ detail }: { readonly detail: KeyDetail }) {
  const state = stateOf(detail, now());
  return <span class={`badge ${badges[state]}`}>{state}</span>;
}

const columns: readonly Column<KeyDetail>[] = [
  {
    name: "name",
    title: "Name",
    width: 12,
    grows: true,
    narrow: "title",
    cell: ({ name, subject }) => (
      <>
        <bdi>{name}</bdi> <bdi class="quiet">{subject}</bdi>
      </>
    ),
  },
  { name: "state", title: "State", width: 6, cell: (detail) => <State detail={detail} /> },
  {
    name: "permissions",
    title: "Permissions",
    width: 20,
    narrow: "hidden",
    cell: ({ permissions: granted }) =>
      granted.length === Object.keys(permissions).length ? "all" : <Tags tags={granted} />,
  },
  {
    name: "last_used_at",
    title: "Last used",
    width: agoWidth,
    cell: ({ last_used_at: at }) => <Time at={at} none="never" ago />,
  },
  {
    name: "expires_at",
    title: "Expires",
    width: agoWidth,
    narrow: "hidden",
    cell: ({ expires_at: at }) => <Time at={at} none="never" ago />,
  },
];

interface KeyPanelProps {
  readonly detail: KeyDetail;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function KeyPanel({ detail, onClose, onChanged }: KeyPanelProps) {
  const [isAsked, setAsked] = useState(false);
  const { id, name, permissions, created_at, expires_at, last_used_at, revoked_at } = detail;
  const revoke = async (why: Why) => {
    await administer("key.revoke", { key: id, ...why }, true);
    showMessage({ text: `The key ${name} is revoked.` });
    onChanged();
  };
  return (
    <SidePanel title={name} shows={id} onClose={onClose}>
      <div class="form">
        <dl class="facts">
          <Fact name="State" value={<State detail={detail} />} />
          <Fact name="Id" value={<CopyText text={id} what="the id of the key" />} />
          <Fact name="Permissions" value={<Tags tags={permissions} />} />
          {detail.subject !== undefined && (
            <Fact name="Subject" value={<CopyText text={detail.subject} what="the subject of the key" />} />
          )}
          <Fact name="Created" value={<Time at={created_at} />} />
          <Fact name="Last used" value={<Time at={last_used_at} none="never" />} />
          <Fact name="Expires" value={<Time at={expires_at} none="never" />} />
          {revoked_at !== null && <Fact name="Revoked" value={<Time at={revoked_at} />} />}
        </dl>
        {revoked_at === null && (
          <>
            <GatewayForm key={id} detail={detail} onChanged={onChanged} />
            <p>
              <button type="button" class="danger" onClick={() => setAsked(true)}>
                Revoke
              </button>
            </p>
          </>
        )}
      </div>
      {isAsked && (
        <Confirm
          title="Revoke the key?"
          action="Revoke the key"
          typed={name}
          asksReason
          run={revoke}
          onClose={() => setAsked(false)}
        >
          <p>
            Programs that use it are refused from now on, and sessions that were opened with it end. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </SidePanel>
  );
}
