// Owns what a plan contains, as the settings of the server say it, and what a change of the plan would change.

import { readOfConsole } from "../../api/calls.ts";
import { countText } from "../../parts/text/count.tsx";
import { useData } from "../../parts/use-data.ts";
import type { ProjectDetail } from "./project-detail.ts";

/** As GET /console/api/settings answers it, as far as it is needed. */
interface SettingsAnswer {
  readonly settings: readonly { readonly name: string; readonly value: unknown }[];
}

const titles: readonly (readonly [setting: string, title: string])[] = [
  ["memory-limit", "Memories"],
  ["passage-limit", "Passages of conversations"],
  ["retention-days", "Days that records are kept"],
  ["rate-per-second", "Calls per second of each key"],
  ["export", "Exports"],
  ["hash", "Hashes in records"],
];

interface PlanContentsProps {
  readonly plan: ProjectDetail["plan"];
  /** Of the project now; the same: nothing is changed. */
  readonly previous: ProjectDetail["plan"];
}

export function PlanContents({ plan, previous }: PlanContentsProps) {
  const { value } = useData("", (signal) => readOfConsole<SettingsAnswer>("settings", { signal }));
  const textOf = (of: string, setting: string) =>
    valueText(value?.settings.find(({ name }) => name === `plans.${of}.${setting}`)?.value ?? null);
  if (value === undefined) return null;
  return (
    <dl class="facts plan-contents">
      {titles.map(([setting, title]) => {
        const [before, after] = [textOf(previous, setting), textOf(plan, setting)];
        return (
          <>
            <dt>{title}</dt>
            <dd class="count">
              {before !== after && (
                <>
                  <del>{before}</del>{" "}
                </>
              )}
              {after}
            </dd>
          </>
        );
      })}
    </dl>
  );
}

function valueText(value: unknown): string {
  if (typeof value === "number") return countText(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return "unlimited";
}
