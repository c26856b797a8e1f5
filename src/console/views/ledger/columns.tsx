// The columns of the list of records. The first one draws the chain.

import type { AuditRecord } from "../../../../clients/typescript/src/index.ts";
import type { Column } from "../../parts/table/types.ts";
import { dollarsText, durationText } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";

export const hashCharacters = 8;

/** @param keyNames by the id of the key */
export function columnsOf(keyNames: ReadonlyMap<string, string>): readonly Column<AuditRecord>[] {
  return [
    { name: "chain", title: "Chain", width: 9.5, cell: (record) => <ChainCell record={record} /> },
    {
      name: "action",
      title: "Action",
      width: 11,
      narrow: "title",
      cell: ({ action }) => (
        <code>
          <bdi>{action}</bdi>
        </code>
      ),
    },
    { name: "status", title: "Status", width: 7, cell: (record) => <StatusBadge record={record} /> },
    { name: "about", title: "About", width: 12, grows: true, narrow: "hidden", cell: aboutOf },
    {
      name: "key",
      title: "Key",
      width: 9,
      narrow: "hidden",
      cell: ({ key_id: key }) => keyText(key, keyNames),
    },
    {
      name: "duration",
      title: "Duration",
      width: 5.5,
      align: "end",
      narrow: "hidden",
      cell: ({ duration }) => (duration === null ? <span class="quiet">–</span> : durationText(duration)),
    },
    { name: "time", title: "Time", width: 10.5, cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}

function ChainCell({ record: { seq, hash } }: { readonly record: AuditRecord }) {
  return (
    <span class="rail">
      <code title={hash ?? undefined}>{hash?.slice(0, hashCharacters)}</code>
      <span class="quiet">#{seq}</span>
    </span>
  );
}

/** The status in figures, and in words for whom the colour says nothing. */
export function StatusBadge({
  record: { http_status: status, is_success: isSuccess },
}: {
  readonly record: Pick<AuditRecord, "http_status" | "is_success">;
}) {
  const [kind, word] = isSuccess
    ? ["good", "ok"]
    : status < 500
      ? ["warning", "refused"]
      : ["danger", "failed"];
  return <span class={`badge ${kind}`}>{`${status} ${word}`}</span>;
}

/** What a person recognises a record by. The text of the call is in the record itself, which the list does not have. */
function aboutOf({
  error_code: code,
  error_msg: message,
  memory_id: memory,
  model_id: model,
  gateway_id: gateway,
  balance_consumed_usd: usd,
  ip_address: address,
}: AuditRecord) {
  if (code !== null) return <bdi title={message ?? undefined}>{`${code} ${message ?? ""}`}</bdi>;
  if (memory !== null)
    return (
      <span>
        memory <code>{memory.slice(0, hashCharacters)}</code>
      </span>
    );
  const cost = usd > 0 ? dollarsText(usd) : null;
  const told = [cost, model, gateway].filter((each) => each !== null).join(" · ");
  return <bdi class="quiet">{told === "" ? address : told}</bdi>;
}

export function keyText(key: string | null, names: ReadonlyMap<string, string>) {
  if (key === null) return <span class="quiet">none</span>;
  const name = names.get(key);
  return name === undefined ? (
    <code title={key}>{key.slice(0, hashCharacters)}</code>
  ) : (
    <bdi title={key}>{name}</bdi>
  );
}
