// The form that signs a person in with an API key, and what an administrator does instead. In the view of its own, and in the dialog that
// asks again.

import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { signIn } from "../../session.ts";

/** Whoever shows it learns of the sign-in by the signal `session`. */
export function SignInForm({ heading: Heading }: { readonly heading: "h2" | "h3" }) {
  const [key, setKey] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (key.trim() === "" || isSending) return;
    setSending(true);
    setError(null);
    try {
      await signIn({ key: key.trim() });
      setKey("");
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="sign-in-ways">
      <section>
        <Heading>As an administrator</Heading>
        <p>
          Run this command on the machine of the server, and open the address that it prints in this browser.
        </p>
        <CopyText form="block" what="the command" text="memledger console" />
      </section>
      <section>
        <Heading>With an API key</Heading>
        <form onSubmit={submit} autocomplete="off">
          <Field
            label="API key"
            help="You can do here what the key is permitted to do. The browser does not keep the key."
          >
            {(control) => (
              <input
                {...control}
                type="password"
                name="memledger-key"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                placeholder="ml_…"
                value={key}
                onInput={({ currentTarget }) => setKey(currentTarget.value)}
              />
            )}
          </Field>
          {error !== null && <Failure error={error} />}
          <Button type="submit" class="primary" isOff={isSending || key.trim() === ""}>
            {isSending ? "Signing in…" : "Sign in"}
          </Button>
        </form>
      </section>
    </div>
  );
}
