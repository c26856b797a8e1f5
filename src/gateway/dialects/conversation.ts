// Owns the refusal of a body that is no chat, and of a conversation whose items are not objects.

import { fieldRefusal } from "../../platform/errors.ts";
import { isObject, type Json } from "../../platform/json/json.ts";

/** @throws Refusal 1400 unless the value is an array of objects that is not empty */
export function requireConversation(value: Json | undefined, field: string): void {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return;
  const reason = "must be an array of messages that is not empty";
  throw fieldRefusal(field, reason);
}
