// Asks the person to sign in again when the session ends while the console is open. What is behind it stays as it is, and the action that
// met the end of the session is tried again.

import { Dialog } from "../parts/dialog.tsx";
import { declineSignIn, isSignInAsked } from "../session.ts";
import { SignInForm } from "../views/sign-in/sign-in-form.tsx";

export function SignInDialog() {
  if (!isSignInAsked.value) return null;
  return (
    <Dialog title="Your session has ended" onClose={declineSignIn}>
      <p>
        Sign in again to continue. Nothing that you have typed is lost, and your last action is tried again.
      </p>
      <SignInForm heading="h3" />
    </Dialog>
  );
}
