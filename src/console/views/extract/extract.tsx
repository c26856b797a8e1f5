// Extracts memories from a text, and lets the person decide about each one before anything is stored. The text is a draft of this tab, not
// in the address.

import { useRef, useState } from "preact/hooks";
import { useDraft } from "../../drafts.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { moveFocus } from "../../parts/move-focus.ts";
import { Loading } from "../../parts/progress.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { countOf } from "../../parts/text/count.tsx";
import { TagInput } from "../../parts/text/tag-input.tsx";
import { View } from "../../parts/view.tsx";
import { projectName, useProject } from "../../project.ts";
import { SubjectLine } from "../subjects/subject-line.tsx";
import { toPassages } from "./passages.ts";
import { isWork, noWork, type Proposal, propose, store, type Work } from "./proposal.ts";
import { ProposalCard } from "./proposal-card.tsx";

const textMaxCharacters = 50_000;

export function Extract() {
  const { id, owner, client } = useProject();
  const draft = useDraft<Work>(`extract.${owner}`, noWork, isWork);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { value: work } = draft;
  const perform = async (action: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await action().catch(setError);
    setBusy(false);
  };
  const find = () => perform(async () => draft.set(await propose(client, work)));
  const keep = () =>
    perform(() =>
      store(client, work.proposals ?? [], work.tags, (proposals) => {
        draft.set({ ...work, proposals });
        const stored = proposals.filter(({ decision }) => decision === "stored").length;
        showMessage({ text: `${countOf(stored, "memory", "memories")} stored.` });
      }),
    );
  const shown = { work, isBusy, onWork: draft.set };
  return (
    <View
      title="Extract"
      of={projectName(id)}
      lead={
        <>
          Finds memories in a text. Nothing is stored before you accept it.
          <SubjectLine />
        </>
      }
    >
      {work.proposals === null ? (
        <TextForm {...shown} onFind={find} />
      ) : (
        <Decisions {...shown} proposals={work.proposals} onStore={keep} onDiscard={draft.clear} />
      )}
      {isBusy && <Loading label="Working" />}
      {error !== null && <Failure error={error} />}
    </View>
  );
}

interface StepProps {
  readonly work: Work;
  readonly isBusy: boolean;
  readonly onWork: (work: Work) => void;
}

function TextForm({ work, isBusy, onWork, onFind }: StepProps & { readonly onFind: () => void }) {
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const text = await file.text();
    if (text.length > textMaxCharacters)
      showMessage({
        kind: "warning",
        text: `The file has more than ${textMaxCharacters} characters. Divide it, and extract its parts.`,
      });
    else onWork({ ...work, text });
  };
  return (
    <form
      class="extract-text"
      onSubmit={(event) => {
        event.preventDefault();
        if (work.text.trim() !== "") onFind();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const file = event.dataTransfer?.files[0];
        if (file === undefined) return;
        event.preventDefault();
        void read(file);
      }}
    >
      <Field label="Text" help="Paste or drop notes, an e-mail or a transcript.">
        {(control) => (
          <textarea
            {...control}
            dir="auto"
            rows={14}
            maxLength={textMaxCharacters}
            value={work.text}
            onInput={({ currentTarget }) => onWork({ ...work, text: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && work.text.trim() !== "")
                onFind();
            }}
          />
        )}
      </Field>
      <Field label="Tags of the new memories">
        {(control) => (
          <TagInput control={control} tags={work.tags} onChange={(tags) => onWork({ ...work, tags })} />
        )}
      </Field>
      <div class="actions">
        <Button type="submit" class="primary" isOff={isBusy || work.text.trim() === ""}>
          Find memories
        </Button>
        <input
          type="file"
          aria-label="A file with the text"
          accept=".txt,.md,.eml,.log,text/*"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
      </div>
    </form>
  );
}

interface DecisionsProps extends StepProps {
  readonly proposals: readonly Proposal[];
  readonly onStore: () => void;
  readonly onDiscard: () => void;
}

function Decisions({ work, proposals, isBusy, onWork, onStore, onDiscard }: DecisionsProps) {
  const toStore = proposals.filter(({ decision }) => decision === "accepted");
  const accepted = toStore.length;
  const updates = toStore.filter(({ how }) => how === "update").length;
  const change = (at: number, changes: Partial<Proposal>) =>
    onWork({
      ...work,
      proposals: proposals.map((each, index) => (index === at ? { ...each, ...changes } : each)),
    });
  const acceptOpen = () =>
    onWork({
      ...work,
      proposals: proposals.map((each) =>
        each.decision === "open" ? { ...each, decision: "accepted" } : each,
      ),
    });
  const root = useRef<HTMLDivElement>(null);
  const move = (step: number) => moveFocus(root.current, ".proposal", step);
  /** Presses a button of the item with the focus, or begins to edit it. */
  const act = (selector: string) => {
    const control = root.current?.querySelector<HTMLElement>(`.proposal:focus-within ${selector}`);
    if (control instanceof HTMLButtonElement) control.click();
    else control?.focus();
  };
  useShortcuts("Extract", [
    { keys: "j", label: "Next item", run: () => move(1) },
    { keys: "k", label: "Previous item", run: () => move(-1) },
    { keys: "e", label: "Edit the item; Escape ends it", run: () => act("textarea") },
    { keys: "y", label: "Accept the item", run: () => act("footer button:nth-of-type(1)") },
    { keys: "n", label: "Refuse the item", run: () => act("footer button:nth-of-type(2)") },
    { keys: "a", label: "Accept all that are open", run: acceptOpen },
  ]);
  const passages = toPassages(
    work.text,
    proposals.map(({ item }) => item.evidence),
  );
  return (
    <div class="decisions" ref={root}>
      <div class="filters">
        <Button type="button" class="primary" isOff={isBusy || accepted === 0} onClick={onStore}>
          Store {countOf(accepted, "memory", "memories")}
        </Button>
        {accepted > 0 && (
          <span class="quiet count">
            {accepted - updates} new, {countOf(updates, "update")}
          </span>
        )}
        <Button type="button" isOff={isBusy} onClick={acceptOpen}>
          Accept all that are open
        </Button>
        <button type="button" onClick={() => onWork({ ...work, proposals: null })}>
          Back to the text
        </button>
        <button type="button" onClick={onDiscard}>
          Another text
        </button>
        {work.redacted.map(({ kind, count }) => (
          <span key={kind} class="badge warning">
            removed before: {count} × {kind}
          </span>
        ))}
      </div>
      {proposals.length === 0 && (
        <Empty title="Nothing to remember was found">
          <p>Small talk, questions and speculation are ignored. Try a text that states facts or rules.</p>
        </Empty>
      )}
      {passages.map(({ before, evidence, items }, row) => (
        <div class="passage" key={row}>
          <p dir="auto">
            <span class="quiet">{before}</span>
            {evidence !== "" && <mark>{evidence}</mark>}
          </p>
          <div>
            {items.map((at) => {
              const proposal = proposals[at];
              return (
                proposal !== undefined && (
                  <ProposalCard key={at} proposal={proposal} onChange={(changes) => change(at, changes)} />
                )
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}
