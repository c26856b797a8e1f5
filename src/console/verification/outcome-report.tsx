// Shows the outcome of a verification: the verdict, what failed, the records, what to do next. All of it is text of the checks and of files,
// and is shown as text.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ReceiptReport } from "../../audit/verify/receipts/report.ts";
import type { ChainReport } from "../../audit/verify/verdict.ts";
import type { Outcome } from "./outcome.ts";

interface OutcomeReportProps {
  readonly outcome: Outcome;
  /** Of the file. */
  readonly name: string;
  /** Draws a link to the first broken record, or to the one that a checkpoint contradicts. */
  readonly recordLink?: (seq: number) => ComponentChildren;
}

/** How serious a verdict is, for its colour. */
const tones = {
  intact: "good",
  unattested: "warning",
  broken: "danger",
  contradicted: "danger",
  unusable: "warning",
} as const;

export function OutcomeReport({ outcome, name, recordLink }: OutcomeReportProps) {
  const { verdict, headline, failures, advice, remarks, keys, report, receipt } = outcome;
  const seq = report?.failure?.seq ?? report?.contradiction?.size ?? null;
  const section = useRef<HTMLElement>(null);
  // It may be below what the person sees.
  useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [outcome]);
  return (
    <section ref={section} class="outcome" data-verdict={verdict} aria-label="Result">
      <p class={`verdict ${tones[verdict]}`} role="status">
        {headline}
      </p>
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((failure) => (
            <li key={failure}>{failure}</li>
          ))}
        </ul>
      )}
      {seq !== null && recordLink !== undefined && <p>{recordLink(seq)}</p>}
      {advice !== "" && <p>{advice}</p>}
      {receipt !== undefined && <ReceiptProof receipt={receipt} />}
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
      <dl class="proof-facts">
        <Fact name="File">{name}</Fact>
        {Object.entries(receipt?.facts ?? {}).map(([fact, value]) => (
          <Fact key={fact} name={fact}>
            <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
          </Fact>
        ))}
        {report?.chains.map((chain) => (
          <ChainFacts key={chain.chain} chain={chain} />
        ))}
        {keys.length > 0 && (
          <Fact name={keys.length === 1 ? "Public key" : "Public keys"}>
            {keys.map((key) => (
              <code key={key}>{key}</code>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function ReceiptProof({ receipt: { proved, notProved, payload } }: { readonly receipt: ReceiptReport }) {
  if (proved.length === 0) return null;
  return (
    <>
      <Sentences title="Proved" sentences={proved} />
      <Sentences title="Not proved" sentences={notProved} />
      {payload !== null && (
        <>
          <h3>Contents</h3>
          <pre>{JSON.stringify(payload, null, 2)}</pre>
        </>
      )}
    </>
  );
}

interface SentencesProps {
  readonly title: string;
  readonly sentences: readonly string[];
}

function Sentences({ title, sentences }: SentencesProps) {
  return (
    <>
      <h3>{title}</h3>
      <ul aria-label={title}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

function ChainFacts({ chain }: { readonly chain: ChainReport }) {
  return (
    <>
      <Fact name="Project">{chain.project ?? "(installation)"}</Fact>
      <Fact name="Chain">
        <code>{chain.chain}</code>
      </Fact>
      <Fact name="Records">
        {count(chain.records)}
        {chain.firstSeq !== null && `, from ${count(chain.firstSeq)} to ${count(chain.lastSeq)}`}
      </Fact>
      <Fact name="Appended by clients">{count(chain.appended)}</Fact>
      <Fact name="Payloads removed">{count(chain.withoutPayload)}</Fact>
      <Fact name="Covered up to">{count(chain.coveredThrough)}</Fact>
      <Fact name="Not covered">{count(chain.uncoveredRecords)}</Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const grouped = new Intl.NumberFormat("en");

function count(value: number | null): string {
  return value === null ? "–" : grouped.format(value);
}
