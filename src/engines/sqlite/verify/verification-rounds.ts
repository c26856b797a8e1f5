// Owns the verification of chains through the API: when a run begins at the first record, when it continues after an earlier run, and
// how long a call waits. Uses only what this process has verified: a mark in the database could be forged together with the records.

import type { Segment } from "../../../audit/verify/segment.ts";
import type { ChainReport } from "../../../audit/verify/verdict.ts";
import type { ChainOwner, Verification, VerificationRound } from "../../../calls/storage/ledger-store.ts";
import type { CurrentStatistics } from "../../../calls/storage/statistics.ts";
import { verificationRoundMs, verificationWaitMs } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { ChainKey } from "./rows.ts";
import {
  type Mark,
  type RunEnd,
  type RunStart,
  reportProgress,
  reportRun,
  type VerificationStep,
} from "./verification-steps.ts";

/** The steps, which run in the reading thread. */
interface StepThread {
  startRun(project: ChainOwner, mark: Mark | null, isRoundDue: boolean): Promise<RunStart | null>;
  verifyStep(key: ChainKey, above: number, through: number): Promise<VerificationStep>;
}

interface VerificationRounds {
  project(project: ChainOwner): Promise<Verification>;
  /** What is known of all chains that were verified since the start. */
  read(): Pick<CurrentStatistics, "verifiedAt" | "chainsWithFailure">;
}

interface ChainRounds {
  verify(): Promise<Verification>;
  /** When a run has last reached the newest record without a failure; null: none has. */
  readonly verifiedAt: number | null;
  readonly hasFailure: boolean;
}

/** Verifies each chain separately, but one step at a time, so that other requests to the reading thread wait for one step at most. */
export function createVerificationRounds(
  thread: StepThread,
  clock: Clock,
  logger: Logger,
): VerificationRounds {
  const chains = new Map<string | null, ChainRounds>();
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  const inTurns: StepThread = {
    startRun: (...values) => inTurn(() => thread.startRun(...values)),
    verifyStep: (...values) => inTurn(() => thread.verifyStep(...values)),
  };
  return {
    project(project) {
      const name = project?.id ?? null;
      const rounds = chains.get(name) ?? createChainRounds(project, inTurns, clock, logger);
      chains.set(name, rounds);
      return rounds.verify();
    },
    read() {
      const all = [...chains.values()];
      const times = all.flatMap(({ verifiedAt }) => (verifiedAt === null ? [] : [verifiedAt]));
      return {
        verifiedAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
        chainsWithFailure: all.filter(({ hasFailure }) => hasFailure).length,
      };
    },
  };
}

/** One run along a chain. */
interface Run {
  start: RunStart;
  segments: Segment[];
  /** Null until it has reached the newest record. */
  report: ChainReport | null;
  /** Resolves when the current step has ended. */
  step: Promise<void>;
}

type Round = Omit<VerificationRound, "throughSeq">;

function createChainRounds(
  project: ChainOwner,
  thread: StepThread,
  clock: Clock,
  logger: Logger,
): ChainRounds {
  const logProblem = createProblemLog(project, logger);
  let running: Promise<Run | null> | null = null;
  let mark: Mark | null = null;
  let round: Round | null = null;
  let roundEndsAt = 0;
  let lastCompleteAt: number | null = null;
  let verifiedAt: number | null = null;
  /** The newest report with a failure; kept until a whole round finds none. */
  let problem: ChainReport | null = null;

  const begin = async (isRoundDue: boolean): Promise<RunStart | null> => {
    const made = await thread.startRun(project, mark, isRoundDue);
    if (made?.isWhole) {
      const fromSeq = made.frame.start.seq + 1;
      round = { fromSeq, startedAt: clock.now(), completedAt: null };
      roundEndsAt = clock.elapsed() + verificationRoundMs;
    }
    return made;
  };

  const conclude = (run: Run, end: RunEnd): void => {
    const report = reportRun(run.start, run.segments, mark, end);
    run.report = report;
    const isGood = report.failure === null && report.contradiction === null;
    problem = isGood ? null : report;
    logProblem(report);
    if (!isGood) return;
    verifiedAt = clock.now();
    const last = run.segments.at(-1)?.last;
    if (last?.hash != null) mark = { chain: report.chain, seq: last.seq, hash: last.hash };
    if (!run.start.isWhole || round === null) return;
    lastCompleteAt = clock.now();
    round = { ...round, completedAt: lastCompleteAt };
  };

  /** @returns the row after which the next step begins; null at the end */
  const advance = async (run: Run, above: number): Promise<number | null> => {
    const step = await thread.verifyStep(run.start.key, above, reachedBy(run));
    if (step.moved) {
      const again = await begin(true);
      if (again === null) throw new Error("the chain was removed while it was verified");
      Object.assign(run, { start: again, segments: [] });
      return again.above;
    }
    run.segments.push(...step.result.segments.map(([, segment]) => segment));
    if (step.next === null) conclude(run, step);
    return step.next;
  };

  /** A step that fails ends the run: the waiting calls get the error, and the next call begins a new run. */
  const drive = async (run: Run): Promise<void> => {
    let above: number | null = run.start.above;
    while (above !== null) {
      const step = advance(run, above);
      run.step = step.then(() => undefined);
      run.step.catch(() => undefined);
      above = await step.catch(() => null);
    }
    running = null;
  };

  const start = async (): Promise<Run | null> => {
    const isRoundDue = problem !== null || round?.completedAt == null || clock.elapsed() >= roundEndsAt;
    const made = await begin(isRoundDue).catch((error: unknown) => {
      running = null;
      throw error;
    });
    if (made === null) {
      running = null;
      return null;
    }
    const run: Run = { start: made, segments: [], report: null, step: Promise.resolve() };
    void drive(run);
    return run;
  };

  const describe = (run: Run): Verification => {
    const report = run.report ?? reportProgress(run.start, run.segments);
    const { failure, contradiction } = report.failure === null ? (problem ?? report) : report;
    return {
      report: { ...report, failure, contradiction },
      isComplete: run.report !== null,
      round: round && { ...round, throughSeq: reachedBy(run) },
      lastCompleteAt,
    };
  };

  return {
    async verify() {
      running ??= start();
      const run = await running;
      if (run === null) return { report: null, isComplete: true, round: null, lastCompleteAt };
      const endsAt = clock.elapsed() + verificationWaitMs;
      while (run.report === null && clock.elapsed() < endsAt) await run.step;
      return describe(run);
    },
    get verifiedAt() {
      return verifiedAt;
    },
    get hasFailure() {
      return problem !== null;
    },
  };
}

/** The caller may not be the operator, so a failure is also logged, each one once. */
function createProblemLog(project: ChainOwner, logger: Logger): (report: ChainReport) => void {
  const logged = new Set<string>();
  const log = (chain: string, check: string, seq: number | null, finding: string): void => {
    const name = `${check} ${seq}`;
    if (logged.has(name)) return;
    logged.add(name);
    const message = "a chain does not verify; keep the data directory and run memledger audit verify";
    logger.error(message, { project: project?.id ?? null, chain, seq, check, finding });
  };
  return ({ chain, failure, contradiction }) => {
    if (failure !== null) log(chain, failure.check, failure.seq, failure.message);
    if (contradiction !== null) log(chain, contradiction.kind, contradiction.size, contradiction.message);
    if (failure === null && contradiction === null) logged.clear();
  };
}

function reachedBy({ start, segments }: Run): number {
  return segments.at(-1)?.last.seq ?? start.frame.start.seq;
}
