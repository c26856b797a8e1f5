// Who outside of this server has confirmed its checkpoints, since when one waits, and why.

import { countOf } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import type { Confirmation } from "./state.ts";

const kinds: Readonly<Record<string, string>> = {
  cosignature: "Witness",
  timestamp: "Time stamp authority",
  deposit: "Keeps records",
};

interface ConfirmationsProps {
  /** Null: not known yet. */
  readonly confirmations: readonly Confirmation[] | null;
}

export function Confirmations({ confirmations }: ConfirmationsProps) {
  return (
    <div class="card confirmations">
      <h3>Checkpoints confirmed by others</h3>
      {confirmations?.length === 0 && (
        <p class="quiet">
          Nobody outside signs this ledger's checkpoints. The settings <code>witness</code> and{" "}
          <code>timestamp-url</code> name who does.
        </p>
      )}
      <ul>
        {confirmations?.map((each) => (
          <li key={`${each.kind} ${each.name}`}>
            <strong>
              <bdi>{each.name}</bdi>
            </strong>{" "}
            <span class="quiet">{kinds[each.kind] ?? each.kind}</span> <StateBadge confirmation={each} />
            <p>
              {each.confirmed_at === null ? (
                "Nothing confirmed yet"
              ) : (
                <>
                  Last confirmed <Time at={each.confirmed_at} ago />: a checkpoint of{" "}
                  {countOf(each.confirmed_records ?? 0, "record")}
                </>
              )}
            </p>
            {each.waiting_since !== null && (
              <p>
                The newest checkpoint of {countOf(each.waiting, "chain")} waits since{" "}
                <Time at={each.waiting_since} />
              </p>
            )}
            {each.failure !== null && <p dir="auto">{each.failure}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function StateBadge({ confirmation: { failure, waiting } }: { readonly confirmation: Confirmation }) {
  if (failure !== null) return <span class="badge danger">Not confirmed</span>;
  return waiting > 0 ? <span class="badge">Waiting</span> : <span class="badge good">Confirmed</span>;
}
