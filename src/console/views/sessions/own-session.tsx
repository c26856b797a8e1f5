// The session of a person who signed in with a key: what the key may do, and signing out.

import { useState } from "preact/hooks";
import type { SessionDetail } from "../../api/session-calls.ts";
import { Failure } from "../../parts/failure.tsx";
import { Time } from "../../parts/text/time.tsx";
import { View } from "../../parts/view.tsx";
import { session as own, signOut } from "../../session.ts";

export function OwnSession() {
  const { value: signedIn } = own;
  return (
    <View title="Your session" lead="Administrators see and revoke the sessions of everybody.">
      {signedIn && <OwnFacts signedIn={signedIn} />}
    </View>
  );
}

function OwnFacts({ signedIn }: { readonly signedIn: SessionDetail }) {
  const [error, setError] = useState<unknown>(null);
  return (
    <>
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          <bdi>{signedIn.key?.name}</bdi>
        </dd>
        <dt>Permissions</dt>
        <dd>{signedIn.key?.permissions.join(", ")}</dd>
        <dt>Project</dt>
        <dd>
          <bdi>{signedIn.project?.name}</bdi>
        </dd>
        <dt>Signed in</dt>
        <dd>
          <Time at={signedIn.created_at} />
        </dd>
        <dt>Ends</dt>
        <dd>
          <Time at={signedIn.expires_at} />
        </dd>
      </dl>
      {error !== null && <Failure error={error} />}
      <p>
        <button type="button" onClick={() => signOut().catch(setError)}>
          Sign out
        </button>
      </p>
    </>
  );
}
