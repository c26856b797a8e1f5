// What needs the attention of a person, the most severe first, each with what to do.

import { Icon } from "../../parts/icon.tsx";
import type { Warning } from "./state.ts";

const kinds = { critical: "danger", warning: "warning", notice: "accent" };
const titles = { critical: "Critical", warning: "Warning", notice: "Notice" };

export function WarningList({ warnings }: { readonly warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <section class="warnings" aria-label="Warnings">
      <ul>
        {warnings.map(({ code, severity, message, remedy, view }) => (
          <li key={code} class={kinds[severity]}>
            <Icon name="warning" />
            <div>
              <p>
                <span class={`badge ${kinds[severity]}`}>{titles[severity]}</span> <bdi>{message}</bdi>
              </p>
              <p class="quiet">
                <bdi>{remedy}</bdi>
              </p>
            </div>
            {view !== null && (
              <a class="button" href={view}>
                Open
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
