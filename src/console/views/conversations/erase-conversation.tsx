// The button that erases a conversation: it first counts what would go, and asks.

import { useState } from "preact/hooks";
import type { ConversationErasure } from "../../../../clients/typescript/src/generated/models.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { readFailure } from "../../parts/failure.tsx";
import { showMessage } from "../../parts/messages.tsx";
import { countOf } from "../../parts/text/count.tsx";
import { useProject } from "../../project.ts";

interface EraseConversationProps {
  /** Id of the conversation. */
  readonly name: string;
  readonly onErased: (erasure: ConversationErasure) => void;
}

export function EraseConversation({ name, onErased }: EraseConversationProps) {
  const { conversations } = useProject().client;
  const [isCounting, setCounting] = useState(false);
  const [counted, setCounted] = useState<ConversationErasure | null>(null);
  const count = async () => {
    setCounting(true);
    try {
      setCounted(await conversations.erase(name, { dry_run: true }));
    } catch (error) {
      showMessage({ kind: "warning", text: readFailure(error).text });
    }
    setCounting(false);
  };
  const { memories = 0, changed = 0, records = 0 } = counted ?? {};
  return (
    <>
      <Button type="button" class="danger" isOff={isCounting} onClick={() => void count()}>
        {isCounting ? "Counting…" : "Erase…"}
      </Button>
      {counted !== null && (
        <Confirm
          title="Erase the conversation?"
          action="Erase the conversation"
          typed={String(memories)}
          asksReason
          run={async (why) => onErased(await conversations.erase(name, why))}
          onClose={() => setCounted(null)}
        >
          <p>
            {countOf(memories, "memory", "memories")} with its words are deleted, with the checks that expect
            them, and what was said in it is erased from {countOf(records, "record")}. So are its id, and
            exports with these records.{" "}
            {changed > 0 &&
              `${countOf(changed, "memory", "memories")} that were said elsewhere, too, stay without this place. `}
            The ledger still verifies. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
