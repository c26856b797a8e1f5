// Text that people copy: identifiers, hashes, commands, secrets that are shown once.

import { useState } from "preact/hooks";
import { Icon } from "../icon.tsx";
import { showMessage } from "../messages.tsx";

interface CopyTextProps {
  readonly text: string;
  /** What it is, such as "the id of the memory". */
  readonly what: string;
  /** "line": in a line of text. "block": a field of its own, for commands and files. Default: line */
  readonly form?: "line" | "block";
  /** Shows the first characters only; the whole text is copied, and is in the title. */
  readonly shownCharacters?: number;
}

const confirmedMs = 1_500;

export function CopyText({ text, what, form = "line", shownCharacters }: CopyTextProps) {
  const [isCopied, setCopied] = useState(false);
  const shown = shownCharacters === undefined ? text : text.slice(0, shownCharacters);
  const copy = async () => {
    if (!(await copyToClipboard(text))) {
      showMessage({ kind: "warning", text: `The browser did not copy ${what}. Select it and copy it.` });
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), confirmedMs);
  };
  return (
    <span class={`copy-text ${form}`}>
      {form === "block" ? (
        <pre>{shown}</pre>
      ) : (
        <code dir="auto" title={shown === text ? undefined : text}>
          {shown}
        </code>
      )}
      <button type="button" class="bare" aria-label={isCopied ? "Copied" : `Copy ${what}`} onClick={copy}>
        <Icon name={isCopied ? "check" : "copy"} />
      </button>
    </span>
  );
}

/** Browsers have the clipboard on pages with TLS and of this machine only; elsewhere a selection is copied. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.className = "visually-hidden";
    (document.querySelector("dialog:modal") ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
