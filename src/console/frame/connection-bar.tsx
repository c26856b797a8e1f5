// Says that the server cannot be reached, while it cannot.

import { checkConnection, isConnected } from "../api/connection.ts";
import { Icon } from "../parts/icon.tsx";

export function ConnectionBar() {
  return (
    <div class="connection" role="status">
      {!isConnected.value && (
        <p>
          <Icon name="warning" />
          <span>
            The server cannot be reached. The console tries again automatically. What you have typed is kept.
          </span>
          <button type="button" onClick={checkConnection}>
            Try now
          </button>
        </p>
      )}
    </div>
  );
}
