// How each assistant is connected to this server: the file, and what to add to it, with the key filled in.

import { useState } from "preact/hooks";
import { readOfConsole } from "../../api/calls.ts";
import { Failure } from "../../parts/failure.tsx";
import { Select } from "../../parts/field.tsx";
import { Loading } from "../../parts/progress.tsx";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { useData } from "../../parts/use-data.ts";
import type { NewKeyDetail } from "./key-detail.ts";

/** As GET /console/api/connections answers it. */
interface ConnectionsAnswer {
  readonly key_placeholder: string;
  readonly assistants: readonly Snippet[];
}

interface Snippet {
  readonly name: string;
  readonly title: string;
  readonly with_key: string;
  readonly files: Readonly<Record<string, Readonly<Record<System, string>>>>;
  readonly command: string;
  readonly next: string;
}

const systems = { linux: "Linux", macos: "macOS", windows: "Windows" };
type System = keyof typeof systems;

export function Connections({ created }: { readonly created: NewKeyDetail }) {
  const answer = useData("", (signal) => readOfConsole<ConnectionsAnswer>("connections", { signal }));
  const [name, setName] = useState<string | null>(null);
  const [system, setSystem] = useState<System>(ownSystem());
  if (answer.error !== null) return <Failure error={answer.error} onRetry={answer.reload} />;
  if (answer.value === undefined) return <Loading />;
  const { key_placeholder: placeholder, assistants } = answer.value;
  const chosen = assistants.find((each) => each.name === name) ?? assistants[0];
  if (chosen === undefined) return null;
  return (
    <div class="form connections">
      <div class="filters">
        <Select
          label="Assistant"
          value={chosen.name}
          options={Object.fromEntries(assistants.map(({ name, title }) => [name, title]))}
          onChange={setName}
        />
        <Select label="System" value={system} options={systems} onChange={(system) => setSystem(system)} />
      </div>
      <div class="field">
        <p>
          Add this to the file{" "}
          {Object.entries(chosen.files).map(([scope, paths], index) => (
            <span key={scope}>
              {index > 0 && ", or "}
              <code>{paths[system]}</code> {index > 0 && `(${scope})`}
            </span>
          ))}
        </p>
        <CopyText
          text={chosen.with_key.replaceAll(placeholder, () => created.key).trimEnd()}
          what="the configuration"
          form="block"
        />
      </div>
      <div class="field">
        <p>Or, on a machine that has memledger, set the variable MEMLEDGER_API_KEY to the key and run:</p>
        <CopyText text={chosen.command} what="the command" form="block" />
      </div>
      <p class="quiet">{chosen.next}</p>
      {created.permissions.includes("gateway.use") && (
        <div class="field">
          <p>
            A chat client gets memory from the gateway. Its base URL, for clients of Anthropic without /v1:
          </p>
          <CopyText text={`${location.origin}/v1`} what="the base URL" form="block" />
        </div>
      )}
    </div>
  );
}

function ownSystem(): System {
  if (/windows/i.test(navigator.userAgent)) return "windows";
  return /mac os/i.test(navigator.userAgent) ? "macos" : "linux";
}
