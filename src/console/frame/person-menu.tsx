// The menu of the person who is signed in: who that is, theme, times, keyboard, sessions, signing out.

import { canOpen } from "../access.ts";
import { addresses } from "../addresses.ts";
import type { SessionDetail } from "../api/session-calls.ts";
import { readFailure } from "../parts/failure.tsx";
import { Select } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { showMessage } from "../parts/messages.tsx";
import { Time, zoneChoice } from "../parts/text/time.tsx";
import { themeChoice } from "../parts/theme-choice.ts";
import { session, signOut } from "../session.ts";
import { isHelpOpen } from "./help-dialog.tsx";

const themeTitles = { system: "As the system", light: "Light", dark: "Dark" };
const zoneTitles = { local: "Local", UTC: "UTC" };

export function PersonMenu() {
  const { value: signedIn } = session;
  const name = signedIn ? nameOf(signedIn) : "Options";
  return (
    <Menu
      class="person"
      side="above"
      button={
        <>
          <Icon name="sessions" />
          <bdi>{name}</bdi>
          <Icon name="up" />
        </>
      }
    >
      {(close) => (
        <div class="person-menu">
          {signedIn && (
            <p class="quiet">
              {signedIn.kind === "administrator" ? "Administrator" : "API key"}, signed in until{" "}
              <Time at={signedIn.expires_at} />
            </p>
          )}
          <div class="choice">
            Theme
            <Select
              label="Theme"
              value={themeChoice.value}
              options={themeTitles}
              onChange={(theme) => (themeChoice.value = theme)}
            />
          </div>
          <div class="choice">
            Times
            <Select
              label="Times"
              value={zoneChoice.value}
              options={zoneTitles}
              onChange={(zone) => (zoneChoice.value = zone)}
            />
          </div>
          <button
            type="button"
            onClick={() => {
              close();
              isHelpOpen.value = true;
            }}
          >
            Keyboard shortcuts <kbd>?</kbd>
          </button>
          {canOpen("sessions", signedIn ?? null) && (
            <a href={addresses.sessions.path} onClick={close}>
              {addresses.sessions.title}
            </a>
          )}
          {signedIn ? (
            <button type="button" onClick={() => void leave()}>
              Sign out
            </button>
          ) : (
            <a href={addresses["sign-in"].path} onClick={close}>
              Sign in
            </a>
          )}
        </div>
      )}
    </Menu>
  );
}

function nameOf({ kind, key, os_user: user }: SessionDetail): string {
  if (kind === "administrator") return user ?? "Administrator";
  return key?.name ?? "API key";
}

async function leave(): Promise<void> {
  try {
    await signOut();
  } catch (error) {
    showMessage({ kind: "warning", text: readFailure(error).text });
  }
}
