// A dialog over the page, and the question before something that cannot be undone. The browser keeps the focus inside, closes it with
// Escape, and gives the focus back.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { type Form, useForm } from "./use-form.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Default: as wide as a form. */
  readonly wide?: boolean;
}

const firstControl = "input, textarea, select, :not(header) > button";

/** It is open as long as it is shown. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before it is removed: a dialog that is no longer in the page gives no focus back.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // The browser would begin with the button that closes it, and a space would close it.
    current?.querySelector<HTMLElement>(firstControl)?.focus({ preventScroll: true });
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : undefined}
      aria-labelledby={titleId}
      // A browser lets a page cancel only the first of two Escapes; this one it never sees.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="bare" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface FormDialogProps extends Pick<DialogProps, "title" | "onClose"> {
  readonly form: Form;
  /** The fields. */
  readonly children: ComponentChildren;
  /** On the button that sends the form, such as "Revoke the key". */
  readonly action: string;
  /** Whether the form cannot be sent yet. Default: it can. */
  readonly isOff?: boolean;
  /** Default: the error is shown below the fields. */
  readonly hidesError?: boolean;
  readonly isDangerous?: boolean;
}

/** A dialog with a form, which `form` sends. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    form,
    children,
    action,
    isOff = false,
    hidesError = false,
    isDangerous = false,
    onClose,
  } = props;
  const { error, isRunning, submit } = form;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {error !== null && !hidesError && <Failure error={error} />}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <Button type="submit" class={isDangerous ? "danger" : "primary"} isOff={isOff || isRunning}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The part of an input that says why. Empty: nothing was said. */
export interface Why {
  readonly reason?: string;
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** Such as "Revoke the key". */
  readonly action: string;
  /** The person has to type this, such as the name of a key. Null: a click is enough. */
  readonly typed?: string | null;
  /** Whether the person may say why, for the record. Default: no. */
  readonly asksReason?: boolean;
  /** Its error is shown, and the dialog stays open. */
  readonly run: (why: Why) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. It closes when it was done. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, typed = null, asksReason = false, run, onClose } = props;
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const [inputId, reasonId] = [useId(), useId()];
  const isConfirmed = typed === null || text.trim() === typed.trim();
  const form = useForm(async () => {
    if (!isConfirmed) return;
    await run(reason.trim() === "" ? {} : { reason });
    onClose();
  });
  return (
    <FormDialog title={title} form={form} action={action} isOff={!isConfirmed} isDangerous onClose={onClose}>
      {children}
      {typed !== null && (
        <div class="field">
          <label for={inputId}>
            Type <strong dir="auto">{typed}</strong> to confirm
          </label>
          <input
            id={inputId}
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      )}
      {asksReason && (
        <div class="field">
          <label for={reasonId}>Reason, for the record (optional)</label>
          <input
            id={reasonId}
            value={reason}
            autocomplete="off"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      )}
    </FormDialog>
  );
}
