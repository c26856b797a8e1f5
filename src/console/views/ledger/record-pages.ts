// Owns loading pages of records. A first page that is loaded again must have the records that it had, although each call adds one.

import type { AuditListQuery, AuditRecord } from "../../../../clients/typescript/src/index.ts";
import type { ProjectClient } from "../../api/calls.ts";
import type { LoadPage } from "../../parts/table/rows.ts";
import type { KnownLinks } from "./known-links.ts";
import type { NewRecords } from "./new-records.ts";

const pageSize = 100;

interface LoaderOptions {
  readonly client: ProjectClient;
  readonly listQuery: AuditListQuery;
  readonly links: KnownLinks;
  readonly news: NewRecords;
}

/** Another list begins at the newest record again. */
export function createLoader({ client, listQuery, links, news }: LoaderOptions): LoadPage<AuditRecord> {
  /** Of the list as its first page was loaded first; null: not yet. */
  let newest: AuditRecord | null = null;
  return async (cursor, signal) => {
    const top = newest;
    const isFirst = cursor === null && top === null;
    if (isFirst) news.begin();
    news.expectOne();
    const until = cursor === null && top !== null ? { end_time: top.created_at } : {};
    const from = cursor === null ? {} : { cursor };
    const {
      logs,
      next_cursor: next,
      total,
      newest_seq: chainEnd,
    } = await client.audit.list({ ...listQuery, ...until, ...from, page_size: pageSize }, { signal });
    links.add(logs);
    if (!isFirst)
      return { rows: logs.filter(({ seq }) => top === null || seq <= top.seq), next, total: null };
    newest = logs[0] ?? null;
    news.end(listQuery.end_time === undefined ? chainEnd : null);
    return { rows: logs, next, total };
  };
}
