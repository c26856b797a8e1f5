// Prints the digest of each schema of the newest format, as docs/engineer/AUDIT-FORMAT.md and test/verify.py name them. After a new
// migration: bun test/engines/sqlite/schema-digests.ts

import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { schemaDigest, schemaVariants } from "../../../src/engines/sqlite/schema/schema-check.ts";

const lines = schemaVariants(formatVersion).map(({ objects }) => `${formatVersion} ${schemaDigest(objects)}`);
process.stdout.write(`${lines.join("\n")}\n`);
