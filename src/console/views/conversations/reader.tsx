// One conversation as it was: who said what and when, and the memories from it beside the place where it was said. Escape leads back to the list.

import { useEffect, useRef, useState } from "preact/hooks";
import type {
  AgentMemory,
  Conversation,
  ConversationErasure,
} from "../../../../clients/typescript/src/generated/models.ts";
import { isAllowed } from "../../access.ts";
import type { ProjectClient } from "../../api/calls.ts";
import { Failure } from "../../parts/failure.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loading } from "../../parts/progress.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countOf, countText } from "../../parts/text/count.tsx";
import { Time } from "../../parts/text/time.tsx";
import { useData } from "../../parts/use-data.ts";
import { linkTo, useProject } from "../../project.ts";
import { toPassages } from "../extract/passages.ts";
import { State } from "../memories/memory-columns.tsx";
import { typeNames } from "../memories/memory-query.ts";
import { EraseConversation } from "./erase-conversation.tsx";
import { originsIn, speakerOf, type Turn, toTurns } from "./turns.ts";

interface ReaderProps {
  /** Id of the conversation. */
  readonly name: string;
  /** Id of a memory whose place is shown; null: the beginning is. */
  readonly at: string | null;
  readonly onClose: () => void;
  readonly onErased: (erasure: ConversationErasure) => void;
}

const pageSize = 200;

export function Reader({ name, at, onClose, onErased }: ReaderProps) {
  const { client } = useProject();
  const heading = useRef<HTMLHeadingElement>(null);
  const data = useData(`${name} ${at}`, (signal) => readUntil(client, name, at, signal));
  const { value } = data;
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useShortcuts("Conversation", [{ keys: "Escape", label: "Back to the list", run: onClose }]);
  const more = async (read: Conversation) => {
    setFailure(null);
    await withNext(client, read).then(data.set, setFailure);
  };
  return (
    <article class="conversation" aria-labelledby="conversation-heading">
      <header>
        <h2 id="conversation-heading" ref={heading} tabIndex={-1}>
          <CopyText text={name} what="the id of the conversation" />
        </h2>
        <button type="button" onClick={onClose}>
          All conversations
        </button>
        {value !== undefined && <Ways read={value} onErased={onErased} />}
      </header>
      {value !== undefined && (
        <>
          <Turns read={value} at={at} />
          {failure !== null && <Failure error={failure} />}
          {value.next_cursor !== null && (
            <button type="button" onClick={() => void more(value)}>
              Show what was said next
            </button>
          )}
        </>
      )}
      {data.error !== null && <Failure error={data.error} onRetry={data.reload} />}
      {value === undefined && data.isLoading && <Loading />}
    </article>
  );
}

/** The first page, and the next ones up to the one with the memory. */
async function readUntil(client: ProjectClient, name: string, at: string | null, signal: AbortSignal) {
  let read = await client.conversations.read(name, { page_size: pageSize }, { signal });
  const isShown = () =>
    turnsOf(read).some(({ said, kept }) => [...said, ...kept].some(({ id }) => id === at));
  while (at !== null && read.next_cursor !== null && !isShown()) read = await withNext(client, read, signal);
  return read;
}

async function withNext(client: ProjectClient, read: Conversation, signal?: AbortSignal) {
  const query = { page_size: pageSize, cursor: read.next_cursor ?? undefined };
  const next = await client.conversations.read(
    read.conversation,
    query,
    signal === undefined ? {} : { signal },
  );
  return { ...next, said: [...read.said, ...next.said] };
}

function turnsOf({ conversation, said, next_cursor: next, made }: Conversation): Turn[] {
  return toTurns({ conversation, said, kept: made.memories, isComplete: next === null });
}

interface WaysProps {
  readonly read: Conversation;
  readonly onErased: (erasure: ConversationErasure) => void;
}

/** How much there is, and what can be done with all of it. */
function Ways({ read, onErased }: WaysProps) {
  const { subject } = useProject();
  const { conversation, passages, kept, made } = read;
  return (
    <>
      <a class="button" href={linkTo("memories", { subject, origin: "all", conversation })}>
        Memories
      </a>
      {made.records !== undefined && (
        <a class="button" href={linkTo("ledger", { subject, conversation })}>
          Records
        </a>
      )}
      {isAllowed("subject.erase") && <EraseConversation name={conversation} onErased={onErased} />}
      <p class="quiet">
        <Time at={read.first_at} /> to <Time at={read.last_at} />, {countOf(passages, "passage")},{" "}
        {countText(kept)} kept
      </p>
    </>
  );
}

interface TurnsProps {
  readonly read: Conversation;
  readonly at: string | null;
}

function Turns({ read, at }: TurnsProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [at]);
  return (
    <ol class="turns" ref={list} data-has-kept={read.kept > 0}>
      {turnsOf(read).map((turn, index) => (
        <li key={index}>
          <div class="said">
            <header>
              <bdi>{speakerOf(turn.origin)}</bdi>
              <Time at={turn.origin.said_at ?? null} none="time unknown" />
            </header>
            {turn.said.length === 0 && (
              <p class="quiet">Only memories from this conversation are stored, not its passages.</p>
            )}
            {turn.said.map((passage) => (
              <Passage key={passage.id} passage={passage} turn={turn} name={read.conversation} at={at} />
            ))}
          </div>
          {turn.kept.length > 0 && (
            <ul aria-label="Memories from it">
              {turn.kept.map((memory) => (
                <li key={memory.id}>
                  <Kept memory={memory} at={at} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

interface PassageProps {
  readonly passage: AgentMemory;
  readonly turn: Turn;
  readonly name: string;
  readonly at: string | null;
}

function Passage({ passage, turn, name, at }: PassageProps) {
  const link = useMemoryLink(passage.id);
  const { content } = passage;
  const quoted = turn.kept.map((memory) => memory.content).filter((each) => content.includes(each));
  const places = originsIn(passage, name);
  return (
    <div class="said-text" aria-current={passage.id === at ? "location" : undefined}>
      <p dir="auto">
        {toPassages(content, quoted).map(({ before, evidence }, index) => (
          <span key={index}>
            {before}
            {evidence !== "" && <mark>{evidence}</mark>}
          </span>
        ))}
      </p>
      <a href={link} aria-label="The memory of this passage" title="The memory of this passage">
        <Icon name="memories" />
      </a>
      {places.length > 1 && (
        <p class="quiet">
          Said {places.length} times here, last <Time at={places.at(-1)?.said_at ?? null} none="unknown" />
        </p>
      )}
    </div>
  );
}

function Kept({ memory, at }: { readonly memory: AgentMemory; readonly at: string | null }) {
  const link = useMemoryLink(memory.id);
  return (
    <a class="kept-memory" href={link} aria-current={memory.id === at ? "location" : undefined}>
      <span class="badge accent">{typeNames[memory.memory_type]}</span> <State memory={memory} />
      <bdi>{memory.content}</bdi>
    </a>
  );
}

function useMemoryLink(memory: string): string {
  const { subject } = useProject();
  return linkTo("memories", { subject, origin: "all", memory });
}
