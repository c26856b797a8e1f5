// The list of shortcuts that work at present, and the switch that turns them off.

import { signal } from "@preact/signals";
import { Dialog } from "../parts/dialog.tsx";
import { Switch } from "../parts/field.tsx";
import { areShortcutsOn, shortcutGroups } from "../parts/shortcuts.ts";

export const isHelpOpen = signal(false);

export function HelpDialog() {
  if (!isHelpOpen.value) return null;
  const groups = shortcutGroups.value.filter(({ shortcuts }) => shortcuts.length > 0).toReversed();
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        isHelpOpen.value = false;
      }}
      wide
    >
      <div class="shortcuts">
        {groups.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>
                    {keys.split(" ").map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        label="Use single keys as shortcuts"
        isOn={areShortcutsOn.value === "on"}
        onChange={(isOn) => {
          areShortcutsOn.value = isOn ? "on" : "off";
        }}
      />
    </Dialog>
  );
}
