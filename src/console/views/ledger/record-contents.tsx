// What a call asked, found and answered. Long texts and whole bodies are folded.

import type { ComponentChildren } from "preact";
import type { AuditRecordDetail } from "../../../../clients/typescript/src/index.ts";
import { countOf } from "../../parts/text/count.tsx";
import { pathOf } from "../../project.ts";
import { FoldedJson, FoldedText } from "./folded-text.tsx";

interface RecordContentsProps {
  readonly record: AuditRecordDetail;
  readonly project: string;
}

/** A listing finds hundreds. */
const resultsShown = 20;

export function RecordContents({ record, project }: RecordContentsProps) {
  const { redacted, payload_expired: expired, memory_query: query, memory_results: results } = record;
  if (redacted || expired)
    return (
      <p class="quiet removed">
        {redacted
          ? "The operator has erased what this call asked and answered."
          : "What this call asked and answered was removed at the end of its retention."}{" "}
        The hash still proves that the record was here.
      </p>
    );
  const { length: erased } = record.erased_places;
  const prompt = promptOf(record);
  // A record without texts, such as that of an erasure, says only there what it is about.
  const isAll = !(query || results || record.input_content || record.output_content);
  return (
    <>
      {erased > 0 && (
        <p class="quiet removed">
          The operator has erased {countOf(erased, "text", "texts")} of this call. The hash still proves that{" "}
          {erased === 1 ? "it was" : "they were"} here.
        </p>
      )}
      {query !== null && query.length > 0 && (
        <Part
          title={record.action === "memory.search" || record.action === "memory.inject" ? "Query" : "Text"}
        >
          {query.map((text, index) => (
            <FoldedText key={index} text={text} />
          ))}
        </Part>
      )}
      {results !== null && results.length > 0 && (
        <Part title={countOf(results.length, "memory", "memories")}>
          <ol class="results">
            {results.slice(0, resultsShown).map((found) => (
              <li key={found.id}>
                <a
                  href={`${pathOf("memories", project)}?${new URLSearchParams({ memory: found.id })}`}
                  title={found.id}
                >
                  {found.content === "" ? (
                    <code>{found.id.slice(0, 12)}</code>
                  ) : (
                    <bdi>{found.content.slice(0, 300)}</bdi>
                  )}
                </a>
                <span class="quiet count">
                  {[
                    found.memory_type,
                    found.source,
                    ...(found.source === "direct" ? [] : [found.final_score.toFixed(3)]),
                  ].join(" · ")}
                </span>
              </li>
            ))}
          </ol>
          {results.length > resultsShown && <p class="quiet">The rest is in the answer.</p>}
        </Part>
      )}
      {prompt !== null && (
        <Part title="Prompt given">
          <FoldedText text={prompt} />
        </Part>
      )}
      {record.rag_query !== null && (
        <Part title="Query of documents">
          {record.rag_query.map((text, index) => (
            <FoldedText key={index} text={text} />
          ))}
        </Part>
      )}
      <FoldedJson title="Markers" value={record.metadata} isOpen />
      <FoldedJson title="Parameters" value={record.request_parameters} isOpen />
      <FoldedJson title="Input" value={record.input_content} />
      <FoldedJson title="Output" value={record.output_content} />
      <FoldedJson title="Documents found" value={record.rag_results} />
      <FoldedJson title="Request" value={record.request_body} isOpen={isAll} />
      <FoldedJson title="Answer" value={record.response_body} isOpen={isAll} />
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** The section of the prompt that an injection answered with. */
function promptOf({ action, response_body: body }: AuditRecordDetail): string | null {
  const data = body?.data;
  if (action !== "memory.inject" || typeof data !== "object" || data === null) return null;
  const prompt: unknown = Reflect.get(data, "prompt");
  return typeof prompt === "string" && prompt !== "" ? prompt : null;
}
