import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { prepare } from '../scoring/prepare.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { openSource } from '../storage/backends.ts';
import type { Files } from '../storage/local/durable-files.ts';
import type { Source } from '../storage/source.ts';
import { type Attempt, firstAttempt } from './attempt.ts';
import { fingerprintOf, hashOf } from './checkpoint/fingerprint.ts';
import type { EarlierFigures } from './drift/earlier-figures.ts';
import { checkOutputName } from './guards/check-output-name.ts';
import type { RunObserver } from './observer.ts';
import { runColumns } from './observers/lineage/run-columns.ts';
import { acquireOutput } from './output/acquire-output.ts';
import type { LockedPaths } from './paths/lock-paths.ts';
import { type PlannedRun, type RunResult, runPlan } from './score-rows.ts';

export interface RunIo
  extends Pick<PlannedRun, 'windowBytes' | 'budget' | 'total' | 'earlier' | 'isDetailed' | 'range'> {
  /** This process, unless it resumes a run; by default, the first of a new run. */
  attempt?: Attempt | undefined;
  /** Writes the output's files. */
  files?: Files | undefined;
  /** Is read instead of the file that the options name; it is closed. */
  source?: Source | undefined;
  /** Whether an unfinished run of the output is known to be of different work. */
  isOtherWork?: boolean;
  /** The hash that the report's description must have. */
  reportHash?: string;
}

/**
 * Scores a CSV: returns every row, in input order, with its predicted probabilities.
 *
 * @param locked the paths of the run; they stay locked
 * @param scorer is not closed
 * @returns undefined if the output exists and --if-exists is skip
 * @throws RowcastError with its location in the input; the output is then unchanged, and the same command resumes
 * @throws Interrupted if the run was stopped by its signal
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export async function scoreTo(
  locked: LockedPaths,
  options: RunValues,
  scorer: Scorer,
  observer: RunObserver = {},
  io: RunIo = {},
): Promise<RunResult | undefined> {
  try {
    return await scoreOnce(locked, options, scorer, observer, io);
  } catch (error) {
    // Its size and time did not tell that the input is another one, but its bytes did. Stdin cannot be read again.
    const isOther = error instanceof RowcastError && error.code === 'other_work';
    if (!isOther || !options.restartIfChanged || io.source !== undefined || options.input === '-')
      throw error;
    return scoreOnce(locked, options, scorer, observer, { ...io, isOtherWork: true });
  }
}

async function scoreOnce(
  locked: LockedPaths,
  options: RunValues,
  scorer: Scorer,
  observer: RunObserver,
  { attempt = firstAttempt(), files, source: given, isOtherWork, reportHash, earlier: read, ...io }: RunIo,
): Promise<RunResult | undefined> {
  const source = given ?? (await openSource(options.input, options.checksum, options.encoding));
  try {
    const earlier = read ?? (await earlierOf(options));
    const { stop, onSetAside } = observer;
    const acquired = await acquireOutput(options, { locked, stop, files, isOtherWork, onSetAside });
    if (acquired === undefined) return undefined;
    const plan = await prepare(source, options, scorer, observer.stop);
    const { report, layout } = plan;
    checkOutputName(options.output, layout.dialect);
    if (reportHash !== undefined && hashOf(report) !== reportHash) throw reportChanged(options.report);
    const { format, dialect } = layout;
    const { relativeRejects: rejects } = locked;
    const input = await source.identify();
    const { range } = io;
    const work = { range, service: scorer.name, report, rejects, options, format, dialect };
    const fingerprint = fingerprintOf({ input, ...work });
    const identity = { attempt, fingerprint, rejectsHeader: layout.rejectsPreamble };
    const output = await acquired.open(identity).catch(error => {
      throw observer.stop?.aborted ? new Interrupted(observer.stop) : error;
    });
    observer.onBegin?.(output.attempt, runColumns(plan));
    const { contentSize } = input;
    return await runPlan({ ...io, source, contentSize, earlier, options, plan, scorer, output, observer });
  } finally {
    source.close();
  }
}

/**
 * The run to compare with.
 *
 * @throws RowcastError as `readEarlierSummary`
 */
export const earlierOf = async ({
  compare,
  report,
}: Pick<RunValues, 'compare' | 'report'>): Promise<EarlierFigures | undefined> => {
  if (compare === undefined) return undefined;
  // Loaded only when it is needed.
  const { readEarlierSummary } = await import('./summary/earlier-summary.ts');
  return readEarlierSummary(compare, report);
};

const reportChanged = (id: string): RowcastError =>
  new RowcastError('report_changed', `the report ${id} was trained again while the run was in progress`, {
    severity: 'stopped',
    hint: 'Start over: rowcast abort, then plan again.',
  });
