import { REQUEST_ROWS } from '../base/contract/limits.ts';
import { RowcastError } from '../base/errors.ts';
import { Interrupted, unlessStopped } from '../base/interrupted.ts';
import { prepare } from '../scoring/prepare.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { openSource } from '../storage/backends.ts';
import { fingerprintOf, reportHash } from './checkpoint/fingerprint.ts';
import { endLast } from './end-last.ts';
import { exitCodeOfRows } from './exit-code.ts';
import { checkInputOptions, checkOutputName } from './guards/check-output-name.ts';
import { leastRows } from './guards/min-rows.ts';
import { skipsSameInput } from './guards/same-as-last.ts';
import { type InputWait, inputWait, judgeEnd, type Waiting } from './input-wait.ts';
import type { LockedTargets } from './observer.ts';
import { acquireOutput } from './output/acquire-output.ts';
import { encoderFor, withoutEnd, writtenFile } from './output/written-file.ts';
import { type LockedPaths, lockRunPaths } from './paths/lock-paths.ts';
import { Releases } from './releases.ts';
import type { Run } from './run.ts';
import { runColumns } from './run-columns.ts';
import { failureOf, type RunControl } from './run-control.ts';
import { RunRecord } from './run-record.ts';
import type { RunResult } from './run-result.ts';
import { scoreRows } from './score-rows.ts';
import { earlierOf } from './summary/earlier-of.ts';
import type { RunNote, Summary } from './summary/summary.ts';
import { watchRequests, watchRows } from './watch.ts';

/**
 * Executes a run, from its locks to its summary: every row of the input, in order, with its predictions.
 *
 * @throws RowcastError with its location in the input; the output is then unchanged, and the same run resumes
 * @throws Interrupted if the run was stopped
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export function executeRun(run: Run, record = new RunRecord(run)): Promise<Summary> {
  return executeRecorded(record, run.control, {
    restart: run.options.restart,
    lock: () => lockRunPaths({ ...run.paths, backends: run.backends }),
    execute: files => scoreLocked(run, record, files),
  });
}

/** What `executeRecorded` does with the files of a run. */
export interface Phases<F extends LockedTargets> {
  restart: boolean;
  lock: () => Promise<F & { release(): Promise<void> }>;
  execute: (files: F) => Promise<Summary>;
}

/** Locks, begins, executes, tells how it has ended, and releases, whatever happens. */
export async function executeRecorded<F extends LockedTargets>(
  record: RunRecord,
  control: RunControl,
  { restart, lock, execute }: Phases<F>,
): Promise<Summary> {
  const held = new Releases();
  held.add(() => record.close());
  control.atExit((error, exitCode) => record.endNow(error, exitCode));
  try {
    const files = await unlessStopped(lock(), control.signal, late => void late.release());
    held.add(() => files.release());
    await record.begin(files, restart);
    return await record.within(() => execute(files));
  } catch (thrown) {
    const error = failureOf(thrown);
    await record.fail(error);
    await held.release().catch(() => {}); // the first error is reported
    throw error;
  } finally {
    control.atExit(undefined);
    await held.release();
  }
}

async function scoreLocked(run: Run, record: RunRecord, files: LockedPaths): Promise<Summary> {
  const { scorer, close } = await run.openScorer(watchRequests(record));
  // A pipe ends after the summary is there.
  const output = endLast(files.output);
  let summary: Summary;
  try {
    const wait = waitOf(run, record);
    if (run.wait?.hasArrived !== true) await wait?.arrived();
    record.ready(scorer);
    const locked = { ...files, output: output.target };
    const score = (isAgain: boolean): Promise<RunResult | undefined> =>
      scoreOnce(run, record, locked, scorer, isAgain).catch(error => {
        // The bytes of the input show that the unfinished run is of another one, so it begins with the first row.
        if (isAgain || !isOtherInput(error, run)) throw error;
        return scoreOnce(run, record, locked, scorer, true);
      });
    const result = await (wait?.complete(score) ?? score(false));
    record.scored(result);
    const code = result === undefined ? 0 : exitCodeOfRows(run.options, result.rowCounts);
    summary = await record.end(result === undefined ? 'skipped' : 'finished', code);
    await output.end();
  } catch (error) {
    // The first error is reported.
    await output.abandon().catch(() => {});
    await close().catch(() => {});
    throw error;
  }
  await close();
  return summary;
}

/**
 * Whether the input of a run can be waited for. A stream has no name by which that could be done, and who scores shards has waited
 * for all of them.
 */
const hasFile = ({ openInput, part }: { [K in 'openInput' | 'part']?: Run[K] | undefined }): boolean =>
  openInput === undefined && part === undefined;

function waitOf(run: Run, record: RunRecord): InputWait | undefined {
  if (!hasFile(run)) return undefined;
  const { options, backends, control, wait } = run;
  const { input, waitForInput, readyFile } = options;
  const onWaiting = (waiting: Waiting): void => record.waiting(waiting);
  const { signal: stop } = control;
  return inputWait({ inputs: [input], waitForInput, readyFile, backends, stop, onWaiting, ...wait });
}

/** @returns undefined if the output exists and is not to be replaced */
async function scoreOnce(
  { options, openInput, control, shared, part, ...run }: Run,
  record: RunRecord,
  locked: LockedPaths,
  scorer: Scorer,
  isOtherWork = false,
): Promise<RunResult | undefined> {
  const { signal: stop, cancel } = control;
  const isReadAgain = hasFile({ openInput, part });
  const { input: name, checksum, encoding } = options;
  const source = await unlessStopped(
    openInput?.() ?? openSource(name, checksum, encoding, run.backends, stop),
    stop,
    late => late.close(),
  );
  try {
    const watch = watchRows(record, options.input === '-' ? 'stdin' : options.input);
    const onSetAside = watch.setAside;
    const acquired = await acquireOutput(options, {
      locked,
      stop,
      isOtherWork,
      onSetAside,
    });
    if (acquired === undefined) return undefined;
    const note = (warning: RunNote): void => record.note(warning);
    const found = { last: record.last, backends: run.backends, note };
    const isFound = shared !== undefined && 'earlier' in shared;
    const finding = isFound ? shared.earlier : earlierOf({ ...options, ...found });
    const earlier = await unlessStopped(Promise.resolve(finding), stop);
    const writes = writtenFile(options);
    const plan = await prepare(source, { ...options, writes, range: part?.range }, scorer, stop, run.formats);
    const { report, layout } = plan;
    checkOutputName(options.output, layout, writes);
    checkInputOptions(options, layout);
    if (part !== undefined && reportHash(report) !== part.reportHash) throw reportChanged(options.report);
    const input = await unlessStopped(source.identify(), stop);
    part?.checkInput(input);
    const { last } = shared ?? {};
    const same = {
      options,
      input,
      last: last === undefined ? record.last : last,
      backends: run.backends,
      stop,
      note,
    };
    // What only the caller can open is read once.
    if (openInput === undefined && part === undefined && (await skipsSameInput(same))) return undefined;
    const { relativeRejects: rejects } = locked;
    const fingerprint = fingerprintOf({
      input,
      range: part?.range,
      service: scorer.name,
      protocol: scorer.protocol,
      report,
      batches: scorer.dependsOnBatch
        ? { rows: options.batchRows ?? REQUEST_ROWS, bytes: options.batchBytes }
        : undefined,
      rejects,
      options,
      layout,
    });
    const encoder = await encoderFor(plan, writes, part?.predictionType);
    const attempt = record.newRun;
    const output = await acquired
      .open({
        attempt,
        fingerprint,
        rejectsHeader: layout.rejectsPreamble,
        encoder: encoder && part ? withoutEnd(encoder, part.range, layout) : encoder,
      })
      .catch(error => {
        throw stop.aborted ? new Interrupted(stop) : error;
      });
    watch.opened(output.attempt, runColumns(plan));
    return await scoreRows({
      source,
      contentSize: input.contentSize,
      options,
      plan,
      scorer,
      output,
      encoder,
      watch,
      stop,
      cancel,
      least: shared?.total || part ? shared?.least : leastRows(options.minRows, record.last, note),
      isRemembered: run.memory !== undefined || last !== undefined,
      budget: shared?.budget,
      total: shared?.total,
      earlier,
      range: part?.range,
      planned: part?.predictionType,
      isDetailed: run.isDetailed,
      windowBytes: run.windowBytes,
      isReadAgain,
    });
  } catch (error) {
    const { waitForInput, readyFile } = options;
    throw await judgeEnd(error, source, { waitForInput, readyFile, isReadAgain });
  } finally {
    source.close();
  }
}

const reportChanged = (id: string): RowcastError =>
  new RowcastError('report_changed', `the report ${id} was trained again while the run was in progress`, {
    severity: 'stopped',
    hint: 'Start over: rowcast abort, then plan again.',
  });

const isOtherInput = (error: unknown, { options, openInput }: Run): boolean =>
  options.restartIfChanged &&
  // A stream cannot be read again.
  openInput === undefined &&
  options.input !== '-' &&
  error instanceof RowcastError &&
  error.code === 'other_work';
