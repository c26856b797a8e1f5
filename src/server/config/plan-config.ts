// Owns the plans as the settings say them. Knows no source of a value.

import type { Plan, PlanName, Plans } from "../../access/plan.ts";
import { planSettings } from "./settings.ts";
import type { ValueOf } from "./upstreams.ts";

export function plansFrom(value: ValueOf): Plans {
  return {
    free: planFrom("free", value),
    basic: planFrom("basic", value),
    pro: planFrom("pro", value),
    business: planFrom("business", value),
    custom: planFrom("custom", value),
  };
}

function planFrom(name: PlanName, value: ValueOf): Plan {
  const table = planSettings[name];
  const perSecond = value(table.ratePerSecond);
  return {
    memoryLimit: value(table.memoryLimit),
    passageLimit: value(table.passageLimit),
    retentionDays: value(table.retentionDays),
    export: value(table.export),
    hash: value(table.hash),
    rate: perSecond === null ? null : { perSecond, burst: value(table.rateBurst) ?? perSecond },
  };
}
