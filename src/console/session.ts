// Owns who is signed in, and asking for it again when a session ends while the console is open. One question at a time, whatever waits.

import { computed, signal } from "@preact/signals";
import {
  beginSession,
  endSession,
  type Proof,
  readSession,
  type SessionDetail,
} from "./api/session-calls.ts";
import { forgetDrafts } from "./drafts.ts";

/** Undefined: not known yet. Null: nobody is signed in. */
export const session = signal<SessionDetail | null | undefined>(undefined);
/** Why it could not be read; null: it could. */
export const sessionFailure = signal<unknown>(null);
/** Whether the dialog that asks for another sign-in is open. */
export const isSignInAsked = signal(false);
export const isAdministrator = computed(() => session.value?.kind === "administrator");

let reading: Promise<SessionDetail | null> | null = null;
let asking: Promise<SessionDetail | null> | null = null;
let answer: ((signedIn: SessionDetail | null) => void) | null = null;

/** Other tabs of this browser have the same cookie. */
const tabs = new BroadcastChannel("memledger.session");
tabs.addEventListener("message", () => void readAgain());

/** Reads who is signed in, once. @throws nothing: the failure is shown */
export function readCurrent(): Promise<SessionDetail | null> {
  reading ??= read();
  return reading;
}

/**
 * The session to send a request with; null: nobody is signed in.
 * @param which "current": as it is known. "renewed": the current one was refused, so the person is asked to sign in again. Null then means
 * that it was refused for another reason, or that the person does not want to, or has signed in as somebody else, for whom the request was
 * not meant.
 */
export async function requireSession(which: "current" | "renewed"): Promise<SessionDetail | null> {
  if (which === "current") return session.value ?? readCurrent();
  const refused = session.value ?? null;
  if (refused === null) return null;
  const known = await read();
  // The session has not ended: the request was refused for another reason, such as a missing permission.
  if (known?.request_token === refused.request_token) return null;
  const renewed = known ?? (await askAgain());
  return renewed !== null && isSamePerson(renewed, refused) ? renewed : null;
}

/** @throws MemledgerError */
export async function signIn(proof: Proof): Promise<SessionDetail> {
  const signedIn = await beginSession(proof);
  become(signedIn);
  tabs.postMessage("changed");
  return signedIn;
}

/** @throws MemledgerError if the server did not end the session */
export async function signOut(): Promise<void> {
  const { value } = session;
  if (value) await endSession(value.request_token);
  forgetDrafts();
  session.value = null;
  tabs.postMessage("changed");
}

/** The person does not want to sign in again now. */
export function declineSignIn(): void {
  conclude(null);
}

async function read(): Promise<SessionDetail | null> {
  try {
    const known = await readSession();
    sessionFailure.value = null;
    session.value = known ?? session.peek() ?? null;
    return known;
  } catch (error) {
    sessionFailure.value = error;
    reading = null;
    return session.peek() ?? null;
  }
}

async function readAgain(): Promise<void> {
  const known = await readSession().catch(() => undefined);
  if (known === undefined) return;
  if (known === null) {
    // Another tab has signed out: this one asks when it needs a session.
    if (!isSignInAsked.value) session.value = null;
  } else become(known);
}

function become(signedIn: SessionDetail): void {
  sessionFailure.value = null;
  session.value = signedIn;
  conclude(signedIn);
}

function askAgain(): Promise<SessionDetail | null> {
  asking ??= new Promise((resolve) => {
    answer = resolve;
    isSignInAsked.value = true;
  });
  return asking;
}

function conclude(signedIn: SessionDetail | null): void {
  isSignInAsked.value = false;
  answer?.(signedIn);
  asking = null;
  answer = null;
}

function isSamePerson(left: SessionDetail, right: SessionDetail): boolean {
  return left.kind === right.kind && left.key?.id === right.key?.id;
}
