// Owns the routes by which the console shows what happens in the server: the event stream, the settings, and how assistants are
// connected. They show no memory and no record, so they are no operations and have no records. Must never answer without a session.

import { type Permission, permissions } from "../../../access/key.ts";
import type { IsSignedIn } from "../../../calls/arrival/signed-in.ts";
import { type Answer, toData } from "../../../calls/contract/answer.ts";
import type { SignedIn } from "../../../calls/operations/access/signed-in.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { Json } from "../../../platform/json/json.ts";
import type { Handler } from "../handler.ts";
import type { Listener } from "../network/listener.ts";
import { readReported } from "../request.ts";
import { envelopeResponse } from "../response.ts";
import { eventStream } from "./event-stream.ts";
import { requireOwnOrigin } from "./forgery-check.ts";
import type { Overview } from "./overview/overview.ts";
import type { ConsolePlace } from "./session-routes.ts";
import { readCookie, requireConsoleHost } from "./session-sender.ts";

interface OverviewPlace extends ConsolePlace {
  readonly overview: Overview;
  readonly isSignedIn: IsSignedIn;
  readonly socket: Pick<Listener, "setIdleTimeout">;
}

/**
 * GET /console/api/events is the event stream (docs/CONSOLE.md). The query `project` names the id of the project to watch; without it,
 * an administrator watches the installation, and a key its own project. 429 and 503: too many streams.
 *
 * GET /console/api/settings answers the settings in force and the versions of components, to administrators.
 *
 * GET /console/api/connections answers the configuration of each assistant for this server.
 *
 * GET /console/api/costs answers what the gateway has cost in the project that the query names, to those who may read its records.
 *
 * GET /console/api/key-changes answers the statements about changes of the signing key, which auditors get as well.
 *
 * All of them need the cookie of a session only, because they change nothing. 401: nobody is signed in; 403: a page of another origin may
 * have made the request, or the session is one of a key that may not see this.
 */
export function overviewRoutes(place: OverviewPlace): readonly (readonly [string, string, Handler])[] {
  const { overview } = place;
  return [
    ["GET", "/console/api/events", ({ request }) => openStream(place, request)],
    [
      "GET",
      "/console/api/settings",
      async ({ request }) => {
        requireAdministrator((await signedIn(place, request)).session);
        return success(overview.settings());
      },
    ],
    [
      "GET",
      "/console/api/connections",
      async ({ request }) => {
        await signedIn(place, request);
        const scheme = place.listener.schemeOf(request);
        return success(await overview.connections(`${scheme}://${request.headers.get("host") ?? ""}`));
      },
    ],
    [
      "GET",
      "/console/api/costs",
      async ({ request }) => {
        const { session } = await signedIn(place, request);
        const project = projectOf(session, new URL(request.url).searchParams.get("project"));
        if (project === null) throw new Refusal(1400, 'Field "project" is missing.', { field: "project" });
        if (!permissionsOf(session).includes("audit.read"))
          throw new Refusal(1403, "Costs are shown to keys with the permission audit.read.");
        return success(await overview.costs(project));
      },
    ],
    [
      "GET",
      "/console/api/key-changes",
      async ({ request }) => {
        await signedIn(place, request);
        return success({ key_changes: [...overview.keyChanges()] });
      },
    ],
  ];
}

async function openStream(place: OverviewPlace, request: Request): Promise<Response> {
  const { session, secret } = await signedIn(place, request);
  const project = projectOf(session, new URL(request.url).searchParams.get("project"));
  const viewer = {
    session: session.id,
    project,
    isAdministrator: session.kind === "administrator",
    permissions: permissionsOf(session),
    isActive: () => place.isSignedIn(secret),
  };
  return eventStream(place.overview.live, viewer, request, place.socket);
}

interface Found {
  readonly session: SignedIn;
  readonly secret: string;
}

/** @throws Refusal 1401, 1403 or 1429 */
async function signedIn(
  { listener, addressOf, showSession }: OverviewPlace,
  request: Request,
): Promise<Found> {
  requireConsoleHost(request, listener);
  requireOwnOrigin(request, listener.schemeOf(request));
  const secret = readCookie(request, listener);
  if (secret === null)
    throw new Refusal(1401, "Nobody is signed in. Sign in to the console at /console/sign-in.");
  const { userAgent } = readReported(request.headers);
  const found = await showSession({
    credentials: { kind: "session", secret, project: null },
    origin: { transport: "console", ip: addressOf(request), userAgent, client: null, metadata: null },
  });
  if (found.code !== successCode) throw refusalOf(found);
  return { session: toSignedIn(found), secret };
}

/** The data that `showSession` has made. */
function toSignedIn({ data }: Answer): SignedIn {
  return JSON.parse(data ?? "null");
}

function refusalOf({ code, message, retryAfterSeconds }: Answer): Refusal {
  const known = code === 1401 || code === 1403 || code === 1429 ? code : 1503;
  return new Refusal(known, message, {}, retryAfterSeconds);
}

/** @throws Refusal 1403 */
function requireAdministrator({ kind }: SignedIn): void {
  if (kind === "administrator") return;
  throw new Refusal(
    1403,
    'The settings are shown to administrators only. Run "memledger console" on the machine of the server for a sign-in link.',
  );
}

/** Form of an id. */
const projectId = /^[0-9a-f]{32}$/;

/** The project that is watched; null: the installation. @throws Refusal 1400 or 1403 */
function projectOf({ project }: SignedIn, named: string | null): string | null {
  if (named !== null && !projectId.test(named))
    throw new Refusal(1400, 'Field "project" must be the id of a project: 32 hexadecimal characters.', {
      field: "project",
    });
  if (project === null || named === null || named === project.id) return project?.id ?? named;
  throw new Refusal(
    1403,
    `The session belongs to a key of the project "${project.name}". It cannot watch others.`,
  );
}

/** An administrator has all of them in all projects. */
function permissionsOf({ key }: SignedIn): readonly Permission[] {
  return key === null ? permissions : key.permissions;
}

function success(data: Json): Response {
  return envelopeResponse({ status: 200, code: successCode, message: "success", data: toData(data) });
}
