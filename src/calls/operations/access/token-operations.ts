// Owns issuing and revoking tokens. Issuing one writes nothing but its record, which has no token and no name of a subject.

import { type Static, Type } from "@sinclair/typebox";
import { type Key, type Permission, permissionsForSubjects } from "../../../access/key.ts";
import { tokenLifeSecondsDefault, tokenLifeSecondsMax } from "../../../access/limits.ts";
import { Refusal } from "../../../platform/errors.ts";
import { randomId } from "../../../platform/ids.ts";
import { Choice, Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";

const permission = Choice(permissionsForSubjects, { description: "An allowed kind of operations." });

const issued = Fields(
  {
    id: Type.String({ description: "Id of the token, as records name it." }),
    token: Type.String({ description: "The token itself. It is not shown again, and stored nowhere." }),
    permissions: Type.Array(permission),
    expires_at: Timestamp({ description: "When the token expires." }),
  },
  { title: "IssuedToken" },
);

export const issueToken = projectOperation({
  name: "key.issue",
  summary: "Issue a token",
  description:
    "Issues a token: a key for one subject that expires. It is used as an API key is, can do nothing outside of its subject, and is not stored. Its calls are calls of the key that has issued it, whose rate they share, and it is not valid longer than that key.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "key.issue",
  forSubjects: true,
  feature: "gateway",
  success: 201,
  input: Fields({
    subject: subjectName,
    permissions: Type.Optional(
      Type.Array(permission, {
        minItems: 1,
        description:
          "Permissions of the token, which the key must have, too. Absent: all of these that the key has.",
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: tokenLifeSecondsMax,
        default: tokenLifeSecondsDefault,
        description: "Seconds that the token is valid.",
      }),
    ),
  }),
  output: issued,
  example: {
    input: { subject: "user:42", expires_in: 900 },
    data: {
      id: "5d0c1f9be77a4b0d8a3e6f2215c49d07",
      token: `mlt_${"kG3v".repeat(25)}`,
      permissions: ["memory.read", "memory.write"],
      expires_at: "2026-01-02T03:04:05.000Z",
    },
  },

  async prepare(
    { permissions, expires_in = tokenLifeSecondsDefault },
    { caller: { key, subject }, tokens, now },
  ) {
    if (subject === null) throw new Error("a token without a subject");
    const granted = grant(key, permissions);
    const id = randomId();
    const expiresAt = (Math.floor(now / 1_000) + expires_in) * 1_000;
    const { id: keyId, tokenEpoch: epoch } = key;
    const token = tokens.print({ id, keyId, epoch, subject: subject.id, permissions: granted, expiresAt });
    const recorded = { id, permissions: [...granted], expires_at: toTimestamp(expiresAt) };
    const data: Static<typeof issued> = { ...recorded, token };
    return { precomputed: { data, recorded }, prepared: null };
  },
});

export const revokeTokens = projectOperation({
  name: "key.revoke_issued",
  summary: "Revoke all tokens of a key",
  description:
    "Revokes all tokens that the key of this call has issued, immediately and permanently. Revoking the key itself ends them, too.",
  effects: { readOnly: false, destructive: true, idempotent: false },
  permission: "key.issue",
  feature: "gateway",
  success: 204,
  input: Fields({}),
  output: null,
  example: { input: {}, data: null },

  async prepare() {
    return null;
  },

  async apply(transaction, _input, _prepared, { caller: { key } }) {
    await transaction.access.revokeTokens(key.id);
    return { data: null };
  },
});

/** @throws Refusal 1403 */
function grant({ permissions }: Key, wanted: readonly Permission[] | undefined): readonly Permission[] {
  const possible = permissionsForSubjects.filter((each) => permissions.includes(each));
  const granted =
    wanted === undefined ? possible : permissionsForSubjects.filter((each) => wanted.includes(each));
  const missing =
    granted.find((each) => !possible.includes(each)) ??
    (granted.length === 0 ? permissionsForSubjects[0] : undefined);
  if (missing === undefined) return granted;
  throw new Refusal(
    1403,
    `Permission denied: the API key does not have the permission ${missing}, so its tokens cannot have it. Use a key that has it.`,
    { permission: missing },
  );
}
