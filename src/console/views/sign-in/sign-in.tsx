// The view that signs a person in. A sign-in link has its secret in the fragment of the address, which browsers send to no server: it is
// removed from the address and sent by this page.

import { useEffect, useState } from "preact/hooks";
import { addresses } from "../../addresses.ts";
import { route } from "../../location.ts";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/progress.tsx";
import { View } from "../../parts/view.tsx";
import { useQuery } from "../../query.ts";
import { session, signIn } from "../../session.ts";
import { SignInForm } from "./sign-in-form.tsx";

export function SignIn() {
  const query = useQuery();
  const [link, setLink] = useState(takeLink);
  const [error, setError] = useState<unknown>(null);
  const isSigningIn = link !== null && error === null;
  useEffect(() => {
    if (link !== null) signIn({ link }).catch(setError);
  }, [link]);
  // A link that is opened while this page is shown changes only the fragment, so the browser does not load the page again.
  useEffect(() => {
    const takeNext = () => {
      const next = takeLink();
      if (next === null) return;
      setError(null);
      setLink(next);
    };
    addEventListener("hashchange", takeNext);
    return () => removeEventListener("hashchange", takeNext);
  }, []);
  const isSignedIn = session.value !== null && session.value !== undefined;
  useEffect(() => {
    if (isSignedIn && !(isSigningIn && document.hidden)) route(returnAddress(query.get("to")), true);
  }, [isSignedIn]);
  return (
    <View title="Sign in to memledger">
      <div class="sign-in">
        {isSigningIn ? (
          <Loading label="Signing in" />
        ) : (
          <>
            {error !== null && <Failure error={error} />}
            <SignInForm heading="h2" />
          </>
        )}
      </div>
    </View>
  );
}

/** The secret of a sign-in link; null: the address has none. It must not stay in the history of the browser. */
function takeLink(): string | null {
  const secret = /mlk_[0-9A-Za-z]+/.exec(location.hash)?.[0] ?? null;
  if (secret !== null) history.replaceState(null, "", location.pathname + location.search);
  return secret;
}

/** Only pages of the console: a link of somebody else must not lead anywhere else after the sign-in. */
function returnAddress(to: string | null): string {
  const start = addresses.overview.path;
  const url = to === null ? null : URL.parse(to, location.origin);
  if (url === null || url.origin !== location.origin || !url.pathname.startsWith(start)) return start;
  return url.pathname === addresses["sign-in"].path ? start : url.pathname + url.search;
}
