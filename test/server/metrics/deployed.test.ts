// The dashboard for Grafana and the alert rules for Prometheus in deploy/: every metric and label that they use is in a scrape of a real
// server after real calls.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSigningKey } from "../../../src/audit/signed-note.ts";
import { createCosigner } from "../../../src/audit/witness/cosigner.ts";
import { errorStatus } from "../../../src/platform/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { root, tableOf } from "../../docs/pages.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { type MetricFamily, parseExposition } from "./exposition-text.ts";

const readText = (path: string) => readFileSync(join(root, "deploy", path), "utf8");
const dashboard: JsonObject = JSON.parse(readText("grafana/memledger.json"));
const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const panels = objects(dashboard.panels);
const shown = panels.filter(({ type }) => type !== "row");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const parsedRules = Bun.YAML.parse(readText("prometheus/memledger-alerts.yml")) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = parsedRules.groups.flatMap((group) => group.rules);

interface Used {
  readonly where: string;
  readonly expression: string;
  /** Texts with labels in double braces. */
  readonly texts: readonly string[];
}

const used: readonly Used[] = [
  ...shown.flatMap(({ title, targets }) =>
    objects(targets).map(({ expr, legendFormat }) => ({
      where: String(title),
      expression: String(expr),
      texts: [String(legendFormat)],
    })),
  ),
  ...rules.map(({ alert, expr, annotations: { summary, description } }) => ({
    where: alert,
    expression: expr,
    texts: [summary, description],
  })),
];

/** Labels that Prometheus adds. */
const added = ["job", "instance"];

let app: TestApp;
let scraped: ReadonlyMap<string, MetricFamily>;
beforeAll(async () => {
  // Nothing listens there, so checkpoints wait.
  const { text } = createCosigner("absent", createSigningKey()).verifierKey;
  app = await startTestApp({ "metrics-port": "0", witness: `http://127.0.0.1:9 ${text}`, keep: "/nowhere" });
  const body = { content: "The lift is repaired in May.", memory_type: "fact" };
  await app.call("POST", "/v1/memories", { body });
  await app.call("POST", "/v1/memories", { body });
  await app.call("POST", "/v1/memories/search", { body: { query: "When is the lift repaired?" } });
  await app.call("GET", "/v1/nowhere");
  do scraped = parseExposition(await (await fetch(String(app.metricsUrl))).text());
  while (labelsOf("memledger_attestations_oldest_waiting_timestamp_seconds").length === 0);
});
afterAll(() => {
  app.complaints.length = 0;
  return app.stop();
});

interface Selector {
  /** Without the suffix of a histogram. */
  readonly metric: string;
  readonly matchers: readonly (readonly [label: string, operator: string, value: string])[];
}

/** @throws Error for a metric that was not scraped, or a suffix that its type does not have */
function selectorsOf(expression: string): Selector[] {
  return [...expression.matchAll(/\b((?:memledger|process)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", inner = ""]) => {
      const metric = scraped.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
      const family = scraped.get(metric);
      if (family === undefined) throw new Error(`${name} was not scraped`);
      if ((family.type === "histogram") === (name === metric)) throw new Error(`${name} is a ${family.type}`);
      const matchers = [...inner.matchAll(/([a-z_]+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = "", operator = "", value = ""]) => [label, operator, value] as const,
      );
      return { metric, matchers };
    },
  );
}

function labelsOf(metric: string): string[] {
  return [...new Set((scraped.get(metric)?.samples ?? []).flatMap(({ labels }) => Object.keys(labels)))];
}

/** Of all metrics of an expression, with those that Prometheus adds. */
function knownLabels(expression: string): string[] {
  return [...added, ...selectorsOf(expression).flatMap(({ metric }) => labelsOf(metric))];
}

describe("expressions", () => {
  test("name metrics and labels of a real scrape only", () => {
    expect(used.length).toBeGreaterThan(45);
    for (const { where, expression, texts } of used) {
      // The rule about a server that is down uses what Prometheus knows itself.
      if (expression.startsWith("up{")) continue;
      const selectors = selectorsOf(expression);
      expect({ where, selectors: selectors.length > 0 }).toEqual({ where, selectors: true });
      for (const { metric, matchers } of selectors) {
        const labels = [...added, ...labelsOf(metric)];
        const unknown = matchers.map(([label]) => label).filter((label) => !labels.includes(label));
        expect({ where, metric, unknown }).toEqual({ where, metric, unknown: [] });
      }
      const known = knownLabels(expression);
      const grouped = [...expression.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
        list.split(",").map((label) => label.trim()),
      );
      const named = texts.flatMap((text) =>
        [...text.matchAll(/\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/g)].map(([, label = ""]) => label),
      );
      const unknown = [...grouped, ...named].filter((label) => !known.includes(label));
      expect({ where, unknown }).toEqual({ where, unknown: [] });
    }
  });

  test("select values that labels have", () => {
    const codes = ["1000", ...Object.keys(errorStatus)];
    for (const { where, expression } of used.filter(({ expression: text }) => !text.startsWith("up{"))) {
      for (const { metric, matchers } of selectorsOf(expression)) {
        for (const [label, , value] of matchers.filter(([, , text]) => !/[$.[]/.test(text))) {
          const values = (scraped.get(metric)?.samples ?? []).map(({ labels }) => labels[label]);
          const wrong = value.split("|").filter((one) => !(label === "code" ? codes : values).includes(one));
          expect({ where, wrong }).toEqual({ where, wrong: [] });
        }
      }
    }
  });

  test("use counters and histograms as rates, and gauges as they are", () => {
    for (const { where, expression } of used.filter(({ expression: text }) => !text.startsWith("up{"))) {
      for (const { 1: metric = "", index } of expression.matchAll(/\b((?:memledger|process)_[a-z_]+)/g)) {
        const isRate = /(rate|increase)\($/.test(expression.slice(0, index));
        const isCounted = scraped.get(metric)?.type !== "gauge";
        expect({ where, metric, isRate }).toEqual({ where, metric, isRate: isCounted });
      }
    }
  });
});

describe("the dashboard", () => {
  test("has a variable for the data source, and every panel uses it", () => {
    const variables = objects(isObject(dashboard.templating) ? dashboard.templating.list : []);
    expect(variables.map(({ name, type }) => [name, type])).toEqual([
      ["datasource", "datasource"],
      ["job", "query"],
      ["instance", "query"],
    ]);
    const sources = shown.flatMap(({ datasource, targets }) => [
      datasource,
      ...objects(targets).map((target) => target.datasource),
    ]);
    const [name = ""] = variables.map((variable) => String(variable.name));
    for (const source of sources) expect(source).toEqual({ type: "prometheus", uid: `\${${name}}` });
  });

  test("every panel has a title, a description, a unit and a place of its own", () => {
    expect(shown.length).toBeGreaterThan(30);
    const cells = new Set<string>();
    const ids = new Set<Json | undefined>();
    for (const { id, title, description, fieldConfig, gridPos, type } of panels) {
      ids.add(id);
      if (isObject(gridPos)) {
        const [left, top, width, height] = [gridPos.x, gridPos.y, gridPos.w, gridPos.h].map(Number);
        for (let x = Number(left); x < Number(left) + Number(width); x++)
          for (let y = Number(top); y < Number(top) + Number(height); y++) {
            expect({ title, isFree: !cells.has(`${x} ${y}`) && x < 24 }).toEqual({ title, isFree: true });
            cells.add(`${x} ${y}`);
          }
      }
      if (type === "row") continue;
      const defaults = isObject(fieldConfig) ? fieldConfig.defaults : null;
      expect({ title, unit: isObject(defaults) ? typeof defaults.unit : null }).toEqual({
        title,
        unit: "string",
      });
      expect(String(description)).toMatch(/^[A-Za-z0-9].{15,}\.$/);
    }
    expect(ids.size).toBe(panels.length);
    expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length);
  });
});

describe("the alert rules", () => {
  test("each has a severity, a summary and what to do, and is on the page", () => {
    for (const { alert, labels, annotations } of rules) {
      expect({ alert, severity: labels.severity }).toEqual({
        alert,
        severity: expect.stringMatching(/^(critical|warning)$/),
      });
      expect(annotations.summary).toMatch(/\{\{ \$labels\.instance \}\}.*\.$/);
      expect(annotations.description).toMatch(/\.$/);
    }
    expect(
      tableOf("docs/operator/METRICS.md", "alert").map(([alert, severity]) => [alert, severity]),
    ).toEqual(rules.map(({ alert, labels }) => [`\`${alert}\``, labels.severity]));
  });
});
