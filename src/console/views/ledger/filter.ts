// Owns the filter of the list of records: what the address says of it, and the query of the call.

import type { AuditListQuery } from "../../../../clients/typescript/src/index.ts";
import type { Span } from "../../parts/text/time-span.tsx";
import type { Query } from "../../query.ts";

export const statusClasses = {
  "": "Any status",
  "2xx": "Succeeded",
  "4xx": "Refused",
  "5xx": "Failed",
} as const;
export type StatusClass = keyof typeof statusClasses;

/** Names are those of the API, so an address says the same as a call. Empty: not filtered. */
export interface RecordFilter {
  readonly span: Span;
  readonly action: string;
  readonly key: string;
  readonly status: StatusClass;
  readonly memory: string;
  readonly subject: string;
  readonly conversation: string;
  readonly person: string;
  readonly tags: readonly string[];
}

export const noFilter = {
  start_time: null,
  end_time: null,
  action: null,
  key_id: null,
  status_class: null,
  memory_id: null,
  subject: null,
  conversation: null,
  on_behalf_of: null,
  tag: null,
};

export function readFilter({ get, all }: Query): RecordFilter {
  const status = get("status_class") ?? "";
  return {
    span: { start: get("start_time"), end: get("end_time") },
    action: get("action") ?? "",
    key: get("key_id") ?? "",
    status: isStatusClass(status) ? status : "",
    memory: get("memory_id") ?? "",
    subject: get("subject") ?? "",
    conversation: get("conversation") ?? "",
    person: get("on_behalf_of") ?? "",
    tags: all("tag"),
  };
}

export function toListQuery({ span, ...others }: RecordFilter): AuditListQuery {
  return {
    ...(span.start === null ? {} : { start_time: span.start }),
    ...(span.end === null ? {} : { end_time: span.end }),
    ...toSelection(others),
  };
}

/** What lists and exports select by besides the time. */
export function toSelection(filter: Omit<RecordFilter, "span">) {
  const { action, key, status, memory, subject, conversation, person, tags } = filter;
  return {
    ...(action === "" ? {} : { action }),
    ...(key === "" ? {} : { key_id: key }),
    ...(status === "" ? {} : { status_class: status }),
    ...(memory === "" ? {} : { memory_id: memory }),
    ...(subject === "" ? {} : { subject }),
    ...(conversation === "" ? {} : { conversation }),
    ...(person === "" ? {} : { on_behalf_of: person }),
    ...(tags.length === 0 ? {} : { tag: [...tags] }),
  };
}

export function isFiltered(filter: RecordFilter): boolean {
  return Object.keys(toListQuery(filter)).length > 0;
}

/** Whether the list has every record of its span, so that each row is linked to the next one. */
export function isGapless(filter: RecordFilter): boolean {
  return Object.keys(toSelection(filter)).length === 0;
}

function isStatusClass(text: string): text is StatusClass {
  return Object.hasOwn(statusClasses, text);
}
