import { REQUEST_ROWS } from '../base/contract/limits.ts';
import { RowcastError } from '../base/errors.ts';
import { Interrupted, unlessStopped } from '../base/interrupted.ts';
import { prepare } from '../scoring/prepare.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { openSource } from '../storage/backends.ts';
import type { Sink, Target } from '../storage/target.ts';
import { fingerprintOf, reportHash } from './checkpoint/fingerprint.ts';
import { exitCodeOfRows } from './exit-code.ts';
import { checkInputOptions, checkOutputName } from './guards/check-output-name.ts';
import { leastRows } from './guards/reject-budget.ts';
import { skipsSameInput } from './guards/same-as-last.ts';
import { type HeldRun, holdRun } from './held-run.ts';
import { inputWait, judgeEnd, type Waiting } from './input-wait.ts';
import type { RunResult } from './observer.ts';
import { acquireOutput } from './output/acquire-output.ts';
import { encoderFor, withoutEnd, writtenFile } from './output/written-file.ts';
import { type LockedPaths, lockRunPaths } from './paths/lock-paths.ts';
import { earlyEndOf, isReadAgain, type Run } from './run.ts';
import { runColumns } from './run-columns.ts';
import { RunTracker } from './run-tracker.ts';
import { type PlannedRun, scoreRows } from './score-rows.ts';
import { earlierOf } from './summary/earlier-of.ts';
import type { RunNote, Summary } from './summary/summary.ts';

/**
 * Executes a run, from its locks to its summary: every row of the input, in order, with its predictions.
 *
 * @throws RowcastError with its location in the input; the output is then unchanged, and the same run resumes
 * @throws Interrupted if the run was stopped
 * @throws ClosedPipe if the reader of stdout closed its end
 */
export async function executeRun(run: Run, tracker = new RunTracker(run)): Promise<Summary> {
  const held = holdRun(tracker, run.control);
  try {
    const files = await held.lock(lockRunPaths({ ...run.paths, backends: run.backends }));
    await tracker.begin(files, run.values.restart);
    return await tracker.within(async () => {
      const open = await openRun(run, tracker, files, held);
      const result = await scoreInput(run, tracker, open);
      return await finishRun(run, tracker, result, open, held);
    });
  } catch (error) {
    throw await held.failed(error);
  } finally {
    await held.release();
  }
}

/** Plans and scores, and does both again if the input is reread. @returns undefined if `planRun` does */
async function scoreInput(run: Run, tracker: RunTracker, open: OpenRun): Promise<RunResult | undefined> {
  for (let isAgain = false; ; isAgain = true)
    try {
      const planned = await planRun(run, tracker, open, isAgain);
      return planned && (await scoreRows(run, tracker, planned));
    } catch (error) {
      await untilReadAgain(error, run, open, isAgain);
    }
}

/** What a run has opened before its input. */
interface OpenRun {
  files: LockedPaths;
  scorer: Scorer;
  output: ReturnType<typeof endLast>;
  /** Undefined if the input is not waited for. */
  wait: ReturnType<typeof inputWait>;
}

/** Opens what predicts, and waits for the input. */
async function openRun(run: Run, tracker: RunTracker, locked: LockedPaths, held: HeldRun): Promise<OpenRun> {
  const { scorer, close } = await run.openScorer(tracker.requests);
  held.open(close);
  const output = endLast(locked.output);
  held.open(() => output.abandon());
  const { values, backends, control } = run;
  const { input, waitForInput, readyFile } = values;
  const { signal: stop } = control;
  const onWaiting = (waiting: Waiting): void => tracker.tell(each => each.waiting?.(waiting));
  const wait = isReadAgain(run)
    ? inputWait({ inputs: [input], waitForInput, readyFile, backends, stop, onWaiting, ...run.wait })
    : undefined;
  if (run.wait?.hasArrived !== true) await wait?.arrived();
  tracker.ready(scorer);
  return { files: { ...locked, output: output.target }, scorer, output, wait };
}

/**
 * Opens the input, and finds everything that can be wrong with it. Only then is the output opened: resumed, or begun.
 *
 * @param isAgain whether the input was read before, so that an unfinished run is known to be of another one
 * @returns undefined if nothing is to be done: the output is there, or is of the same input
 */
async function planRun(
  run: Run,
  tracker: RunTracker,
  { files, scorer, wait }: OpenRun,
  isAgain: boolean,
): Promise<PlannedRun | undefined> {
  const { values, control, shared, shard, backends } = run;
  const { signal: stop } = control;
  await wait?.beforeReading(isAgain);
  const source = await unlessStopped(
    run.openInput?.() ?? openSource(values.input, values.checksum, values.encoding, backends, stop),
    stop,
    late => late.close(),
  );
  let planned: PlannedRun | undefined;
  try {
    const onSetAside = (): void => tracker.tell(each => each.setAside?.());
    const acquired = await acquireOutput({
      ...values,
      locked: files,
      stop,
      isOtherWork: isAgain,
      onSetAside,
    });
    if (acquired === undefined) return undefined;
    const note = (warning: RunNote): void => tracker.note(warning);
    const earlier =
      shared !== undefined && 'earlier' in shared
        ? shared.earlier
        : await unlessStopped(earlierOf({ ...values, last: tracker.last, backends, note }), stop);
    const writes = writtenFile(values);
    const plan = await prepare(run, { source, scorer, writes, stop });
    const { report, layout } = plan;
    checkOutputName(values.output, layout, writes);
    checkInputOptions(values, layout);
    if (shard !== undefined && reportHash(report) !== shard.reportHash) throw reportChanged(values.report);
    const input = await unlessStopped(source.identify(), stop);
    shard?.checkInput(input);
    const last = shared?.last === undefined ? tracker.last : shared.last;
    // What only the caller can open is read once.
    if (isReadAgain(run) && (await skipsSameInput({ options: values, input, last, backends, stop, note })))
      return undefined;
    const fingerprint = fingerprintOf({
      input,
      range: shard?.range,
      service: scorer.name,
      protocol: scorer.protocol,
      report,
      batches: scorer.dependsOnBatch
        ? { rows: values.batchRows ?? REQUEST_ROWS, bytes: values.batchBytes }
        : undefined,
      rejects: files.relativeRejects,
      options: values,
      layout,
    });
    // Loaded only when it is needed.
    const reuse =
      values.reuse === undefined && !values.dedupe
        ? undefined
        : await (await import('./reuse/open-reuse.ts')).openReuse(run, tracker, plan, fingerprint);
    if (reuse !== undefined) fingerprint.options['--reuse'] = reuse.identity;
    const encoder = await encoderFor(plan, writes, shard?.predictionType);
    const output = await acquired
      .open({
        attempt: tracker.newRun,
        fingerprint,
        rejectsHeader: layout.rejectsPreamble,
        encoder: encoder && shard ? withoutEnd(encoder, shard.range, layout) : encoder,
      })
      .catch(error => {
        throw stop.aborted ? new Interrupted(stop) : error;
      });
    tracker.opened(output.attempt, runColumns(plan));
    const least = shared?.total || shard ? shared?.least : leastRows(values.minRows, tracker.last, note);
    planned = { plan, contentSize: input.contentSize, output, encoder, reuse, earlier, least };
    return planned;
  } catch (error) {
    throw await judgeEnd(error, source, earlyEndOf(run));
  } finally {
    if (planned === undefined) source.close();
  }
}

const reportChanged = (id: string): RowcastError =>
  new RowcastError('report_changed', `the report ${id} was trained again while the run was in progress`, {
    severity: 'stopped',
    hint: 'Start over: rowcast abort, then plan again.',
  });

/**
 * After a failure: waits until the input is to be read again.
 *
 * @throws the error if it is not
 */
async function untilReadAgain(error: unknown, run: Run, { wait }: OpenRun, isAgain: boolean): Promise<void> {
  // The bytes of the input show that the unfinished run is of another one, so it begins with the first row.
  if (!isAgain && isOtherInput(error, run)) return;
  if (wait === undefined) throw error;
  await wait.changedAfter(error);
}

const isOtherInput = (error: unknown, { values, openInput }: Run): boolean =>
  values.restartIfChanged &&
  // A stream cannot be read again.
  openInput === undefined &&
  values.input !== '-' &&
  error instanceof RowcastError &&
  error.code === 'other_work';

/**
 * Tells how the run has ended, and writes its summary. Then a pipe ends, whose reader may take that for the sign that
 * it is there.
 */
async function finishRun(
  { values }: Run,
  tracker: RunTracker,
  result: RunResult | undefined,
  { output }: OpenRun,
  held: HeldRun,
): Promise<Summary> {
  tracker.scored(result);
  const code = result === undefined ? 0 : exitCodeOfRows(values, result.rowCounts);
  const summary = await tracker.end(result === undefined ? 'skipped' : 'finished', code);
  await output.end();
  await held.close();
  return summary;
}

/**
 * Holds back the end of a stream or pipe until everything else of the run is written: its reader may take the end as
 * the sign that the summary is there. A file is complete when it appears.
 */
function endLast(target: Target) {
  let complete: Sink | undefined;
  const held = async (stop?: AbortSignal): Promise<Sink> => {
    const sink = await target.open(stop);
    return {
      write: bytes => sink.write(bytes),
      async close() {
        complete = sink;
      },
      abandon: () => sink.abandon(),
    };
  };
  return {
    target: target.durable === undefined ? { ...target, open: held } : target,
    /** Ends the output if it is complete. */
    async end(): Promise<void> {
      await complete?.close();
      complete = undefined;
    },
    /** Discards it instead, unless it has ended. */
    abandon: async () => complete?.abandon(),
  };
}
