// Who called, when, with which result, and links from a record to its memory and its key.

import type { AuditRecord, AuditRecordDetail } from "../../../../clients/typescript/src/index.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countText, dollarsText, durationText } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { Time } from "../../parts/text/time.tsx";
import { pathOf, useProject } from "../../project.ts";
import type { Query } from "../../query.ts";
import { keyText, StatusBadge } from "./columns.tsx";
import { FoldedText } from "./folded-text.tsx";

interface RecordFactsProps {
  readonly record: AuditRecord | AuditRecordDetail;
  /** Null: not read yet. */
  readonly detail: AuditRecordDetail | null;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly query: Query;
}

const shownCharacters = 12;

export function RecordFacts({ record, detail, keyNames, query }: RecordFactsProps) {
  const { id: project } = useProject();
  const { memory_id: memory, key_id: key } = record;
  return (
    <>
      {record.error_msg !== null && (
        <div class="refusal">
          <strong class="count">{record.error_code}</strong>
          <FoldedText text={record.error_msg} />
        </div>
      )}
      <dl class="facts">
        <Fact name="Time" value={<Time at={record.created_at} />} />
        <Fact name="Status" value={<StatusBadge record={record} />} />
        {memory !== null && (
          <Fact
            name="Memory"
            value={
              <>
                <a href={`${pathOf("memories", project)}?${new URLSearchParams({ memory })}`} title={memory}>
                  <code>{memory.slice(0, shownCharacters)}</code>
                </a>{" "}
                <button type="button" class="link" onClick={() => query.set({ memory_id: memory })}>
                  its records
                </button>
              </>
            }
          />
        )}
        <Fact
          name="API key"
          value={
            <>
              {keyText(key, keyNames)}{" "}
              {key !== null && (
                <button type="button" class="link" onClick={() => query.set({ key_id: key })}>
                  its records
                </button>
              )}
            </>
          }
        />
        <Fact name="From" value={fromText(record, detail)} />
        <Fact name="By" value={detail === null ? null : byText(detail)} />
        <Fact name="On behalf of" value={detail === null ? null : personText(detail)} />
        <Fact name="Reason" value={said(detail?.reason ?? null)} />
        <Fact name="User agent" value={said(record.user_agent)} />
        <Fact name="Duration" value={record.duration === null ? null : durationText(record.duration)} />
        <Fact
          name="Credits"
          value={record.credits_consumed > 0 ? countText(record.credits_consumed) : null}
        />
        <Fact name="Cost" value={costText(record)} />
        <Fact name="Model" value={said(record.model_id)} />
        <Fact name="Gateway" value={said(record.gateway_id)} />
        <Fact name="Tokens" value={record.tokens === null ? null : tokensText(record.tokens)} />
        {record.hash !== null && (
          <Fact
            name="Hash"
            value={<CopyText text={record.hash} what="the hash" shownCharacters={shownCharacters} />}
          />
        )}
        <Fact
          name="Record id"
          value={<CopyText text={record.id} what="the id of the record" shownCharacters={shownCharacters} />}
        />
      </dl>
    </>
  );
}

/** A text of others. */
function said(text: string | null) {
  return text === null ? null : <bdi>{text}</bdi>;
}

function tokensText(tokens: NonNullable<AuditRecord["tokens"]>): string {
  const parts = Object.entries(tokens).map(([name, count]) => `${name.replace("_tokens", "")} ${count}`);
  return parts.join(", ");
}

/** Nobody has checked what the client says. */
function personText({ on_behalf_of: person, erased_places: erased }: AuditRecordDetail) {
  if (erased.includes("/on_behalf_of")) return <span class="quiet">a name that was erased</span>;
  if (person === null) return null;
  return (
    <>
      <bdi>{person}</bdi> <span class="quiet">as the client said; not checked</span>
    </>
  );
}

/** The user of the machine, and the session of the console; null: neither. */
function byText({ os_user: name, os_uid: uid, sudo_user: sudo, session_id: session }: AuditRecordDetail) {
  const user = name ?? (uid === null ? null : `user ${uid}`);
  const parts = [
    user === null || sudo === null ? user : `${user} (sudo of ${sudo})`,
    session === null ? null : `session ${session.slice(0, shownCharacters)}`,
  ];
  return said(parts.filter((each) => each !== null).join(" · ") || null);
}

/** That of the gateway is an estimate from the prices of the settings. Null: the call uses no language model of the gateway. */
function costText({ action, tokens, balance_consumed_usd: usd }: AuditRecord | AuditRecordDetail) {
  const isOfGateway = action.startsWith("gateway.") && tokens !== null;
  if (usd > 0) return `${dollarsText(usd)}${isOfGateway ? ", estimated" : ""}`;
  return isOfGateway ? "Unknown: the settings have no price of the model" : null;
}

/** How the call arrived and from where. */
function fromText(
  { ip_address: address, key_id: key }: AuditRecord | AuditRecordDetail,
  detail: AuditRecordDetail | null,
) {
  if (detail?.redacted || detail?.payload_expired) return <span class="quiet">erased with its texts</span>;
  // A record without an address and a key is one of the server, or of a command beside it.
  const unsaid = address === null && key === null ? "this server" : "http";
  const parts = [detail === null ? null : (detail.transport ?? unsaid), detail?.client_name ?? null, address];
  return <bdi>{parts.filter((each) => each !== null).join(" · ")}</bdi>;
}
