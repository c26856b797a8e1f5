// Owns whether a newer statement supersedes an older one: it gives the same attribute of the same subject another value, says that what the
// older one says is over, says another quantity or value of the same, or tells an event that ends its state. English only. In doubt it does not.

import { LRUCache } from "lru-cache";
import { attributesOf, replaces } from "./attribute.ts";
import { endsFormer, type FormerReading, readFormer } from "./former-value.ts";
import { givesNewQuantity, type QuantityReading, readQuantity } from "./new-quantity.ts";
import { givesNewValue, saysWhatIsNow } from "./new-value.ts";
import type { Attribute } from "./rule.ts";
import { endsState, mayEndState, readState, type StateReading } from "./state-change.ts";

interface Reading {
  readonly attributes: readonly Attribute[];
  readonly former: FormerReading | null;
  readonly quantity: QuantityReading | null;
  readonly state: StateReading | null;
}

/** Texts are compared with many others, and reading one takes longer than comparing two. */
const readTexts = 2_000;
const readings = new LRUCache<string, Reading>({ max: readTexts });

export function supersedes(newer: string, older: string): boolean {
  if (newer === older) return false;
  const [says, said] = [read(newer), read(older)];
  return (
    says.attributes.some((each) => said.attributes.some((former) => replaces(each, former))) ||
    endsFormer(says.former, said.former) ||
    givesNewQuantity(says.quantity, said.quantity) ||
    givesNewValue(says.state, said.state) ||
    endsState(says.state, said.state)
  );
}

/** Whether the text can supersede another one at all. */
export function maySupersede(content: string): boolean {
  const { attributes, former, quantity, state } = read(content);
  if (attributes.length > 0 || quantity !== null || (former !== null && former.over.length > 0)) return true;
  return state !== null && (saysWhatIsNow(state) || mayEndState(state));
}

function read(content: string): Reading {
  const known = readings.get(content);
  if (known !== undefined) return known;
  const reading = {
    attributes: attributesOf(content),
    former: readFormer(content),
    quantity: readQuantity(content),
    state: readState(content),
  };
  readings.set(content, reading);
  return reading;
}
