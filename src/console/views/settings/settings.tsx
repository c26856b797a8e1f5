// The settings in force and where each came from, the versions of components, and where their licences are. Nothing can be changed here:
// settings are set when the server starts.

import { readOfConsole } from "../../api/calls.ts";
import { Failure } from "../../parts/failure.tsx";
import { Switch } from "../../parts/field.tsx";
import { Loading } from "../../parts/progress.tsx";
import { countOf } from "../../parts/text/count.tsx";
import { Fact } from "../../parts/text/fact.tsx";
import { useData } from "../../parts/use-data.ts";
import { View } from "../../parts/view.tsx";
import { useQuery } from "../../query.ts";

/** As GET /console/api/settings answers it. */
interface SettingsAnswer {
  readonly settings: readonly Setting[];
  readonly versions: {
    readonly version: string;
    readonly commit: string;
    readonly bun: string;
    /** Null: the program runs from source. */
    readonly embedded: {
      readonly target: string;
      readonly sqlite: string;
      readonly sqlite_vec: string;
      readonly onnxruntime: string;
      readonly model: { readonly id: string; readonly sha256: string };
      /** As `name@version`. */
      readonly packages: readonly string[];
    } | null;
  };
}

interface Setting {
  readonly name: string;
  readonly description: string;
  readonly value: unknown;
  readonly source_kind: "flag" | "variable" | "file" | "default";
  readonly source: string;
  /** Null: it can only be set in memledger.toml. */
  readonly flag: string | null;
  readonly variable: string | null;
}

export function Settings() {
  const query = useQuery();
  const answer = useData("", (signal) => readOfConsole<SettingsAnswer>("settings", { signal }));
  const text = query.get("text") ?? "";
  const isChangedOnly = query.get("show") === "set";
  const found = (answer.value?.settings ?? []).filter(
    ({ name, description, source_kind }) =>
      `${name} ${description}`.toLowerCase().includes(text.trim().toLowerCase()) &&
      !(isChangedOnly && source_kind === "default"),
  );
  return (
    <View
      title="Settings"
      of="Installation"
      lead="What is in force since the server started. An option wins over a variable, and a variable over memledger.toml."
    >
      {answer.error !== null && <Failure error={answer.error} onRetry={answer.reload} />}
      {answer.value === undefined && answer.isLoading && <Loading />}
      {answer.value !== undefined && (
        <>
          <div class="filters">
            <input
              type="search"
              aria-label="Find a setting"
              placeholder="Find a setting"
              value={text}
              onInput={({ currentTarget }) => query.set({ text: currentTarget.value }, "replace")}
            />
            <Switch
              label="Without defaults"
              isOn={isChangedOnly}
              onChange={(isOn) => query.set({ show: isOn ? "set" : null }, "replace")}
            />
            <span class="quiet" role="status">
              {countOf(found.length, "setting")}
            </span>
          </div>
          {found.length > 0 && <SettingTable settings={found} />}
          <Versions versions={answer.value.versions} />
        </>
      )}
    </View>
  );
}

function SettingTable({ settings }: { readonly settings: readonly Setting[] }) {
  return (
    <ul class="settings" aria-label="Settings">
      {settings.map(({ name, description, value, source_kind, source, flag, variable }) => (
        <li key={name}>
          <div>
            <h2>
              <code>{name}</code>
            </h2>
            <p class="quiet">{description}</p>
            <p class="quiet">
              {flag === null ? (
                "In memledger.toml only."
              ) : (
                <>
                  <code>{flag}</code> or <code>{variable}</code>
                </>
              )}
            </p>
          </div>
          <div>
            <code class="value">{valueText(value)}</code>
            <span class={source_kind === "default" ? "badge" : "badge accent"}>
              {source_kind === "default" ? "default" : `from ${source}`}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "not set";
  if (typeof value === "string") return value === "" ? "empty" : value;
  return Array.isArray(value) ? value.map(valueText).join(", ") : JSON.stringify(value);
}

function Versions({ versions }: Pick<SettingsAnswer, "versions">) {
  const { version, commit, bun, embedded } = versions;
  const packages = embedded?.packages ?? [];
  return (
    <div class="card form">
      <h2>Versions and licences</h2>
      <dl class="facts">
        <Fact name="memledger" value={`${version} (${commit})`} />
        <Fact name="Bun" value={bun} />
        {embedded !== null && (
          <>
            <Fact name="Built for" value={embedded.target} />
            <Fact name="SQLite" value={embedded.sqlite} />
            <Fact name="sqlite-vec" value={embedded.sqlite_vec} />
            <Fact name="ONNX Runtime" value={embedded.onnxruntime} />
            <Fact
              name="Embedding model"
              value={
                <>
                  {embedded.model.id} <code class="quiet">{embedded.model.sha256}</code>
                </>
              }
            />
          </>
        )}
      </dl>
      {embedded === null && <p class="quiet">The program runs from source, so nothing is embedded.</p>}
      {packages.length > 0 && (
        <details>
          <summary>{countOf(packages.length, "package")} in the executable</summary>
          <ul class="packages">
            {packages.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
      {embedded !== null && (
        // Files of the server: a target keeps the router from taking them for views.
        <p>
          <a href="/console/licence.txt" target="_blank" rel="noopener">
            Licence of memledger
          </a>
          {" · "}
          <a href="/console/notices.txt" target="_blank" rel="noopener">
            Licences of all components
          </a>
        </p>
      )}
    </div>
  );
}
