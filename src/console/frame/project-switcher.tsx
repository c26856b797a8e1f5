// Shows the project of the address. Administrators choose another one here, and stay in the same view.

import { useState } from "preact/hooks";
import type { ViewName } from "../addresses.ts";
import { shownPage } from "../location.ts";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { Loading } from "../parts/progress.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { useData } from "../parts/use-data.ts";
import { listProjects, pathOf, projectId, projectName } from "../project.ts";
import { isAdministrator } from "../session.ts";

export function ProjectSwitcher() {
  const { value: id } = projectId;
  if (!isAdministrator.value) {
    if (id === null) return null;
    return (
      <div class="project">
        <bdi>{projectName(id)}</bdi>
      </div>
    );
  }
  return (
    <Menu
      class="project"
      button={
        <>
          <bdi>{id === null ? "Choose a project" : projectName(id)}</bdi>
          <Icon name="down" />
        </>
      }
    >
      {(close) => <ProjectList close={close} />}
    </Menu>
  );
}

function ProjectList({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const { value, error, isLoading, reload } = useData(text, () =>
    listProjects({ text: text.trim(), page_size: shownMax + 1 }),
  );
  const found = value ?? [];
  return (
    <div class="project-list">
      <SearchField label="Find a project" text={text} onPause={setText} />
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === undefined && isLoading && <Loading />}
      <ul>
        {found.slice(0, shownMax).map(({ id, name }) => (
          <li key={id}>
            <a
              href={pathOf(sameView(), id)}
              onClick={close}
              aria-current={id === projectId.value ? "true" : undefined}
            >
              <bdi>{name}</bdi>
              {id === projectId.value && <Icon name="check" />}
            </a>
          </li>
        ))}
      </ul>
      {value?.length === 0 && <p class="quiet">No project has this name.</p>}
      {found.length > shownMax && <p class="quiet">There are more. Type a part of the name.</p>}
    </div>
  );
}

const shownMax = 50;

/** The view that is open, if it is one of a project. */
function sameView(): ViewName {
  const page = shownPage();
  return page?.project ? page.view : "project-overview";
}
