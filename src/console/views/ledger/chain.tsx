// Draws a record between the one before it and the one after it: each hash covers the hash before it.

import type { AuditRecord } from "../../../../clients/typescript/src/index.ts";
import { countText } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import { useProject } from "../../project.ts";
import type { Query } from "../../query.ts";
import type { KnownLinks, Link } from "./known-links.ts";

interface ChainProps {
  readonly record: Pick<AuditRecord, "id" | "seq" | "hash" | "created_at">;
  readonly links: KnownLinks;
  readonly query: Query;
  readonly onRead: () => void;
}

/** Records of one millisecond: the one before the record is among so many that are not after it. */
const nearMax = 20;
const hashCharacters = 12;

export function ChainOfThree({ record, links, query, onRead }: ChainProps) {
  const { id: project, client } = useProject();
  const { seq, hash, created_at: at } = record;
  // A filtered list has other records between, so the one before is asked for.
  useData(`${project} ${seq}`, async (signal) => {
    if (hash === null || seq === 1 || links.at(seq - 1) !== undefined) return;
    onRead();
    links.add((await client.audit.list({ end_time: at, page_size: nearMax }, { signal })).logs);
  });
  const show = (id: string) => query.set({ record: id }, "replace");
  return (
    <figure class="chain" aria-label="Place in the chain">
      <LinkBox seq={seq - 1} link={links.at(seq - 1)} onShow={show} />
      <div class="link this" aria-current="true">
        <span class="count">#{countText(seq)}</span>
        {hash === null ? <span class="quiet">no hash</span> : <code>{hash.slice(0, hashCharacters)}</code>}
      </div>
      <LinkBox seq={seq + 1} link={links.at(seq + 1)} onShow={show} />
    </figure>
  );
}

interface LinkBoxProps {
  readonly seq: number;
  readonly link: Link | undefined;
  readonly onShow: (id: string) => void;
}

function LinkBox({ seq, link, onShow }: LinkBoxProps) {
  if (seq === 0) return <div class="link genesis quiet">Genesis</div>;
  if (link === undefined) return <div class="link unknown quiet count">#{countText(seq)}</div>;
  return (
    <button type="button" class="link" onClick={() => onShow(link.id)}>
      <span class="count">#{countText(seq)}</span>
      <code>{link.hash?.slice(0, hashCharacters)}</code>
    </button>
  );
}
