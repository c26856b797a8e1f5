// The frame of the console: navigation, the view of the address, and what is shown over every view. src/console/views/README.md says how to
// add a view.

import { useEffect } from "preact/hooks";
import { canOpen } from "./access.ts";
import { addresses } from "./addresses.ts";
import { watchProject } from "./api/events.ts";
import { ConnectionBar } from "./frame/connection-bar.tsx";
import { useFrameShortcuts } from "./frame/frame-shortcuts.ts";
import { HelpDialog } from "./frame/help-dialog.tsx";
import { isNavigationOpen, Navigation } from "./frame/navigation.tsx";
import { SignInDialog } from "./frame/sign-in-dialog.tsx";
import { route, shownPage, shownSubject, url } from "./location.ts";
import { Empty } from "./parts/empty.tsx";
import { Failure } from "./parts/failure.tsx";
import { FailureBoundary } from "./parts/failure-boundary.tsx";
import { Icon } from "./parts/icon.tsx";
import { Messages } from "./parts/messages.tsx";
import { Loading } from "./parts/progress.tsx";
import { View } from "./parts/view.tsx";
import { listProjects, pathOf, projectId, projectName, readProjectName } from "./project.ts";
import { views, viewsFailure } from "./routes.ts";
import { readCurrent, session, sessionFailure } from "./session.ts";

export function App() {
  const page = shownPage();
  useFrameShortcuts();
  const { value: signedIn } = session;
  const isAlone = page?.view === "sign-in";
  useEffect(() => {
    if (signedIn === undefined && !isAlone) void readCurrent();
    if (signedIn?.project) projectId.value ??= signedIn.project.id;
    if (signedIn?.kind === "administrator") void chooseProject();
  }, [signedIn, isAlone]);
  const { value: project } = projectId;
  useEffect(() => {
    if (signedIn?.kind === "administrator" && project !== null)
      readProjectName(project).catch(() => undefined);
  }, [signedIn, project]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="frame" data-alone={isAlone}>
        {!isAlone && <Navigation />}
        <div class="page">
          {!isAlone && <TopBar />}
          <ConnectionBar />
          <main id="main" tabIndex={-1}>
            <FailureBoundary resetOn={url.value}>
              {page === null ? (
                <NotFound />
              ) : (
                <Guarded key={`${page.view} ${page.project} ${shownSubject()}`} />
              )}
            </FailureBoundary>
          </main>
        </div>
      </div>
      <Messages />
      <HelpDialog />
      <SignInDialog />
    </>
  );
}

/** The navigation shows the views of some project from the beginning. Its failure is shown where projects are chosen. */
async function chooseProject(): Promise<void> {
  if (projectId.value !== null) return;
  const [first] = await listProjects({ page_size: 1 }).catch(() => []);
  projectId.value ??= first?.id ?? null;
}

function TopBar() {
  return (
    <header class="top-bar">
      <button
        type="button"
        class="bare"
        aria-label="Open the navigation"
        aria-expanded={isNavigationOpen.value}
        onClick={() => {
          isNavigationOpen.value = true;
        }}
      >
        <Icon name="menu" />
      </button>
      <Crumbs />
    </header>
  );
}

/** Where one is: the installation or the project, then the view. */
function Crumbs() {
  const page = shownPage();
  const id = page?.project ?? null;
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          {id !== null ? (
            <a href={pathOf("project-overview", id)}>
              <bdi>{projectName(id)}</bdi>
            </a>
          ) : (
            <a href={addresses.overview.path}>Installation</a>
          )}
        </li>
        {page !== null && <li aria-current="page">{page.title}</li>}
      </ol>
    </nav>
  );
}

/** The view, for those who can open it; for others why not, and what to do. */
function Guarded() {
  const { view, needs = "nothing", permission = null, project = null } = shownPage() ?? {};
  const { value: signedIn } = session;
  const isWithout = needs !== "nothing" && signedIn === null;
  // A key has one project, whose overview is its start.
  const own = view === "overview" && signedIn?.project ? signedIn.project.id : null;
  useEffect(() => {
    if (project !== null) projectId.value = project;
    watchProject(project);
  }, [project]);
  useEffect(() => {
    if (isWithout) route(`${addresses["sign-in"].path}?${new URLSearchParams({ to: url.value })}`, true);
    else if (own !== null) route(pathOf("project-overview", own), true);
  }, [isWithout, own]);
  // The boundary shows it.
  if (viewsFailure.value !== null) throw viewsFailure.value;
  if (needs !== "nothing") {
    if (sessionFailure.value !== null && !signedIn)
      return <Failure error={sessionFailure.value} onRetry={() => void readCurrent()} />;
    if (!signedIn || own !== null) return <Loading />;
    if (view !== undefined && !canOpen(view, signedIn)) return <Forbidden permission={permission} />;
  }
  const Shown = view && views.value?.[view];
  return Shown ? <Shown /> : <Loading />;
}

/** @param permission that the key lacks; null: the view is for administrators only */
function Forbidden({ permission }: { readonly permission: string | null }) {
  return (
    <View title={permission === null ? "For administrators" : (shownPage()?.title ?? "")}>
      <Empty title="The API key of this session cannot open this page">
        <p>
          {permission === null
            ? "Sign out, and sign in again as an administrator."
            : `Sign in with a key that has the permission ${permission}, or as an administrator.`}
        </p>
      </Empty>
    </View>
  );
}

function NotFound() {
  return (
    <View title="No such page">
      <Empty title="The console has no page at this address">
        <p>
          Check the address, or <a href={addresses.overview.path}>go to the overview</a>.
        </p>
      </Empty>
    </View>
  );
}
