// Proves over random bodies, parameters and identifiers that no request brings the service to a 500 or shows its inside.

import { afterAll, test } from "bun:test";
import fc from "fast-check";
import { routes } from "../../../src/transports/http/routes.ts";
import { startTestApp } from "../../fixture.ts";
import { expectApiError, expectClean } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const fieldNames = [...new Set(routes.flatMap(({ operation }) => Object.keys(operation.input.properties)))];
const route = fc.constantFrom(...routes.filter(({ operation }) => operation.name !== "memory.delete_all"));
const fieldName = fc.oneof(fc.constantFrom(...fieldNames), fc.string({ unit: "binary" }));
const plausible = fc.oneof(
  fc.constantFrom("fact", "rule", 0.5, 1, true, null),
  fc.string({ unit: "grapheme" }),
);
const body = fc.oneof(
  fc.dictionary(fieldName, fc.oneof(plausible, fc.jsonValue())).map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.uint8Array({ minLength: 1, maxLength: 64 }),
);
const segment = fc.oneof(fc.string({ unit: "grapheme" }), fc.webPath());
const parameters = fc.oneof(fc.webQueryParameters(), fc.dictionary(fieldName, fc.webSegment()).map(encode));

function encode(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${value}`)
    .join("&");
}

test("every answer is an envelope that helps", async () => {
  const anything = fc.record({ route, body, segment, parameters, withQuery: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(anything, async ({ route, body, segment, parameters, withQuery }) => {
      const path = route.path.replace(/:\w+/, () => encodeURIComponent(segment.toWellFormed()) || "-");
      const address = withQuery ? `${path}?${parameters}` : path;
      const options = route.method === "GET" || body.length === 0 ? {} : { body };
      const reply = await app.call(route.method, address, options);
      if (route.operation.exchange === undefined) expectClean(reply, route.method, address);
      // The list of models and the own embeddings need no upstream.
      else if (reply.status !== 200) expectApiError(reply);
    }),
    { numRuns: 250 },
  );
});
