// Records what the product says about itself: the API, the metrics, the errors and the schema of the database.

import { schemaText } from "../engines/sqlite/schema-text.ts";
import { startTestApp } from "../fixture.ts";
import { parseExposition } from "../server/metrics/exposition-text.ts";
import { errorMeaning, errorStatus, isObject, type Json } from "./product.ts";
import { createRecording, printJson, type Recording } from "./recording.ts";

export async function recordDocuments(): Promise<Recording> {
  const recording = createRecording();
  const app = await startTestApp({ "metrics-port": "0", "metrics-projects": "true" });
  const api: Json = JSON.parse(await (await fetch(`${app.url}/openapi.json`)).text());
  for (const [part, value] of Object.entries(isObject(api) ? api : {})) {
    const isDivided = (part === "paths" || part === "components") && isObject(value);
    for (const [name, each] of isDivided ? Object.entries(value) : [["", value] as const])
      recording.observe(`OpenAPI ${part}`, name === "" ? part : name, printJson(each));
  }
  for (const path of ["/health/live", "/health/ready", "/nothing"]) {
    const response = await fetch(app.url + path);
    recording.observe("pages", path, `< ${response.status}`, await response.text());
  }
  for (const [name, { help, type, samples }] of parseExposition(
    await (await fetch(`${app.metricsUrl}`)).text(),
  )) {
    const labels = new Set(samples.map((sample) => Object.keys(sample.labels).join(", ")));
    recording.observe("metrics", name, `${type}: ${help}`, ...[...labels].toSorted());
  }
  await app.stop();
  for (const [code, status] of Object.entries(errorStatus))
    recording.observe("errors", code, `${status}`, new Map(Object.entries(errorMeaning)).get(code) ?? "");
  recording.observe("database", "schema", schemaText());
  return recording;
}
