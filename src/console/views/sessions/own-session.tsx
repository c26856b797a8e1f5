// The session of a person who signed in with a key: what the key may do, and signing out.

import { useState } from "preact/hooks";
import type { SessionDetail } from "../../api/session-calls.ts";
import { Failure } from "../../parts/failure.tsx";
import { Fact } from "../../parts/text/fact.tsx";
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
        <Fact name="Key" value={<bdi>{signedIn.key?.name}</bdi>} />
        <Fact name="Permissions" value={signedIn.key?.permissions.join(", ")} />
        <Fact name="Project" value={<bdi>{signedIn.project?.name}</bdi>} />
        <Fact name="Signed in" value={<Time at={signedIn.created_at} />} />
        <Fact name="Ends" value={<Time at={signedIn.expires_at} />} />
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
