// Texts of others of any length: the beginning, and the rest in steps, so that a huge one does not stop the page.

import { useMemo, useState } from "preact/hooks";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { countText } from "../../parts/text/count.tsx";

const firstCharacters = 400;
const stepCharacters = 50_000;

interface FoldedTextProps {
  readonly text: string;
  readonly isCode?: boolean;
}

export function FoldedText({ text, isCode = false }: FoldedTextProps) {
  const [shown, setShown] = useState(isCode ? 4_000 : firstCharacters);
  const isWhole = text.length <= shown;
  return (
    <div class="folded">
      {isCode ? <pre>{text.slice(0, shown)}</pre> : <p dir="auto">{text.slice(0, shown)}</p>}
      {!isWhole && (
        <button type="button" class="link" onClick={() => setShown(shown + stepCharacters)}>
          {`Show more of ${countText(text.length)} characters`}
        </button>
      )}
    </div>
  );
}

interface FoldedJsonProps {
  readonly title: string;
  /** Null: nothing is shown. */
  readonly value: unknown;
  readonly isOpen?: boolean;
}

export function FoldedJson({ title, value, isOpen = false }: FoldedJsonProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  const text = useMemo(() => (wasOpened ? JSON.stringify(value, null, 2) : ""), [wasOpened, value]);
  if (value === null) return null;
  return (
    <details
      class="folded-json"
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary>{title}</summary>
      {wasOpened && (
        <div class="body">
          <CopyText text={text} what={title.toLowerCase()} shownCharacters={0} />
          <FoldedText text={text} isCode />
        </div>
      )}
    </details>
  );
}
