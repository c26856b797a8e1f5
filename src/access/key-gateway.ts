// Owns what a key says about requests to the gateway: the settings of its memory, and whether conversations are remembered. What it does
// not say, the upstream says. Must never know an upstream.

import { type Static, Type } from "@sinclair/typebox";
import { toTags, WantedTags } from "../memory/tags.ts";
import { promptMaxCharacters } from "../platform/limits.ts";
import { Choice, Fields, Nullable } from "../platform/schema/schema.ts";

/** Only the settings of the key. */
export interface KeyGateway {
  /** As those of an upstream. */
  readonly memory: {
    readonly isOn?: boolean;
    readonly maxCharacters?: number;
    readonly minSimilarity?: number;
    readonly tags?: readonly string[];
    readonly failure?: "fail_open" | "fail_closed";
  };
  readonly remembers?: boolean;
}

const members = {
  memory: Nullable(Type.Boolean({ description: "Whether memory is put into requests." })),
  memory_budget: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: promptMaxCharacters,
      description: "Maximum number of characters of facts and contexts in one request.",
    }),
  ),
  memory_floor: Nullable(
    Type.Number({ minimum: 0, maximum: 1, description: "Minimum similarity of facts and contexts." }),
  ),
  memory_tags: Nullable(WantedTags("Tags that facts and contexts must have.")),
  memory_failure: Nullable(
    Choice(["open", "closed"], {
      description:
        "A request whose memory cannot be found in time is sent without it (open), or refused (closed).",
    }),
  ),
  remember: Nullable(Type.Boolean({ description: "Whether memories are extracted from conversations." })),
};

/** A member that is null: as the upstream says, or for `remember` as the configuration says. */
export const keyGatewayView = Nullable(
  Fields(members, {
    title: "KeyGateway",
    description: "Settings of the key for requests to the gateway; null: none.",
  }),
);

/** A member that is left out does not change, null removes it. */
export const keyGatewayChange = Nullable(
  Type.Partial(Fields(members), {
    additionalProperties: false,
    title: "KeyGatewayChange",
    description:
      "Settings of the key for requests to the gateway, which override those of the upstream. A member that is null removes a setting; null instead of the object removes all.",
  }),
);

type Members = NonNullable<Static<typeof keyGatewayView>>;

const nothing: Members = {
  memory: null,
  memory_budget: null,
  memory_floor: null,
  memory_tags: null,
  memory_failure: null,
  remember: null,
};

export function toKeyGatewayView(gateway: KeyGateway | null): Members | null {
  if (gateway === null) return null;
  const { isOn, maxCharacters, minSimilarity, tags, failure } = gateway.memory;
  return {
    memory: isOn ?? null,
    memory_budget: maxCharacters ?? null,
    memory_floor: minSimilarity ?? null,
    memory_tags: tags === undefined ? null : [...tags],
    memory_failure: failure === undefined ? null : failure === "fail_open" ? "open" : "closed",
    remember: gateway.remembers ?? null,
  };
}

/** The settings of the key after the change; null: none. */
export function changeKeyGateway(
  gateway: KeyGateway | null,
  change: Static<typeof keyGatewayChange>,
): KeyGateway | null {
  if (change === null) return null;
  const { memory, memory_budget, memory_floor, memory_tags, memory_failure, remember } = {
    ...(toKeyGatewayView(gateway) ?? nothing),
    ...change,
  };
  const changed: KeyGateway = {
    memory: {
      ...(memory === null ? {} : { isOn: memory }),
      ...(memory_budget === null ? {} : { maxCharacters: memory_budget }),
      ...(memory_floor === null ? {} : { minSimilarity: memory_floor }),
      ...(memory_tags === null ? {} : { tags: toTags(memory_tags) }),
      ...(memory_failure === null
        ? {}
        : { failure: memory_failure === "open" ? "fail_open" : "fail_closed" }),
    },
    ...(remember === null ? {} : { remembers: remember }),
  };
  const saysNothing = Object.keys(changed.memory).length === 0 && changed.remembers === undefined;
  return saysNothing ? null : changed;
}
