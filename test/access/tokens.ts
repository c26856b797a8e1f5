// The tokens of tests that start no server.

import { createTokens } from "../../src/access/token.ts";
import { createSigner, createSigningKey } from "../../src/audit/signed-note.ts";

export const testTokens = createTokens(createSigner(createSigningKey()));
