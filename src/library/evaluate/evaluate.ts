import type { Report } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { evaluateTable } from '../../base/options/evaluate/evaluate-options.ts';
import type { Values } from '../../base/options/values/resolve-options.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { readVersion } from '../../base/version.ts';
import { type Evaluation, evaluationShape } from '../../evaluate/evaluation.ts';
import { evaluationMetrics } from '../../evaluate/evaluation-metrics.ts';
import { evaluationOf, testingFigures } from '../../evaluate/evaluation-of.ts';
import { unusedTexts } from '../../evaluate/figure-texts.ts';
import { beyondLimits } from '../../evaluate/limits.ts';
import { type TalliedFiles, tallyFiles } from '../../evaluate/tally-files.ts';
import { readReport, readReportResponse } from '../../models/store/report-store.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { openMetricsText, writeWhole } from '../../runs/observers/result-file.ts';
import { findInputs } from '../../runs/several/input-files.ts';
import { RunLedger } from '../../runs/several/run-ledger.ts';
import { readSummaryJson } from '../../runs/summary/earlier-summary.ts';
import { type Backends, backendsOf, resolveTarget } from '../../storage/backends.ts';
import { folderOf, isLocalFolder } from '../../storage/folders.ts';
import { called } from '../as-rowcast-error.ts';
import { CallbackGuard } from '../callback-guard.ts';
import { checkObject, pathOf, readGiven } from '../options/given-values.ts';
import type { GivenEvaluateOptions } from '../options/library-options.ts';

/** An evaluation that is to be made. */
export interface EvaluateJob extends Omit<Values<typeof evaluateTable>, 'labels'> {
  /** Paths, URLs, patterns, folders, or `-`. */
  scored: readonly string[];
  labels: readonly string[];
  home: string;
  signal?: AbortSignal | undefined;
  onStep?: ((step: string) => void) | undefined;
}

/** What has become of it. */
export interface EvaluatedJob extends Pick<TalliedFiles, 'lookalikes' | 'unmatched'> {
  evaluation: Evaluation;
  /** Which limits are not kept, and by how much. */
  beyond: string | undefined;
}

/**
 * Evaluates scored files, and writes what options ask for.
 *
 * @throws RowcastError `usage`, `bad_option`, `no_such_report`, `bad_evaluation`, as `tallyFiles`, `unwritable_output`
 * @throws Interrupted
 */
export async function evaluateJob(job: EvaluateJob): Promise<EvaluatedJob> {
  checkJoin(job);
  const backends = backendsOf(job);
  const { report: id, home, earlier: earlierFile } = job;
  const scored = await filesOf(job.scored, backends);
  const report =
    id === undefined
      ? await reportOfRuns(scored, job, backends).catch(() => undefined)
      : await readReport(home, id);
  const predict = job.predict ?? report?.predicts;
  if (predict === undefined)
    throw new RowcastError('usage', 'no column to compare with; use --predict COLUMN');
  const earlier = earlierFile === undefined ? undefined : await earlierIn(earlierFile, backends);
  const labels = await filesOf(job.labels, backends);
  const { signal, onStep } = job;
  const tallied = await tallyFiles({ ...job, scored, labels, key: job.key ?? [], predict, signal, onStep });
  const evaluation = evaluationOf(
    tallied.tally,
    {
      version: readVersion(),
      evaluated_at: new Date().toISOString(),
      report: report?.id ?? null,
      predicts: predict,
      threshold: null,
      scored,
      labels: labels.length === 0 ? null : labels.join(', '),
      joined: tallied.joined,
      testing: report === undefined ? null : testingFigures(report),
      earlier,
    },
    tallied.segments,
  );
  refuseUnjoined(evaluation, tallied);
  const beyond = beyondLimits(evaluation, job);
  await writeResults(evaluation, job, backends);
  return { evaluation, beyond, lookalikes: tallied.lookalikes, unmatched: tallied.unmatched };
}

/** @throws RowcastError `usage` */
export function checkJoin({
  scored,
  labels,
  key = [],
  byRow,
}: Pick<EvaluateJob, 'scored' | 'labels' | 'key' | 'byRow'>): void {
  const refuse = (message: string, hint: string): never => {
    throw new RowcastError('usage', message, { hint });
  };
  const isJoined = key.length > 0 || byRow;
  if (labels.length > 0 && !isJoined)
    refuse(
      '--labels: nothing says which label is whose',
      'Name a column of both sides, such as --key customer_id; or give --by-row if both have the same rows in the same order.',
    );
  if (labels.length === 0 && isJoined)
    refuse(`--${byRow ? 'by-row' : 'key'} needs --labels`, 'Name the file of what came true.');
  if (key.length > 0 && byRow) refuse('--key and --by-row exclude each other', 'Leave one out.');
  if ([...scored, ...labels].filter(name => name === '-').length > 1)
    refuse('stdin cannot be both the scored rows and the labels', 'Save one of them to a file.');
}

/**
 * Refuses labels none of which belongs to a row with a valid prediction. That none has come yet is no error.
 *
 * @throws RowcastError `no_matches`
 */
function refuseUnjoined(
  { coverage, joined, scored, labels }: Evaluation,
  { unmatched, lookalikes }: TalliedFiles,
): void {
  const { no_label: missing = 0, ...unused } = joined.unused;
  const given = joined.labels - missing;
  if (coverage.labelled > 0 || given === 0) return;
  const parts = Object.entries(unused).map(([reason, rows]) => `${counted(rows)} ${unusedTexts[reason]}`);
  const invalid =
    coverage.invalid > 0 ? [`${countOf(coverage.invalid, 'scored row')} without a valid prediction`] : [];
  const { lookalikes: keys, example } = unmatched?.forms ?? {};
  const [alike] = lookalikes;
  throw new RowcastError(
    'no_matches',
    `none of ${countOf(given, 'label')} belongs to a scored row with a prediction: ${formatList([...parts, ...invalid])}`,
    {
      location: { file: labels ?? scored[0] ?? '' },
      hint:
        keys !== undefined
          ? `Keys are compared exactly, and these differ only in ${formatList(keys.forms)}. Write them the same way in both files.`
          : alike !== undefined
            ? `Labels are compared exactly: is "${sanitize(alike.text)}" the class "${sanitize(alike.name)}"?`
            : 'Check that both files are of the same rows, and that --key and --predict name the right columns.',
      ...(example?.label !== undefined && {
        quote: `the labels have the key ${JSON.stringify(example.label)}, the scored rows ${JSON.stringify(example.scored ?? '')}`,
      }),
    },
  );
}

/** The files that paths, patterns, and folders with a record of runs name. @throws RowcastError `no_such_file` */
async function filesOf(names: readonly string[], backends: Backends): Promise<string[]> {
  const files: string[] = [];
  for (const name of names) {
    if (name === '-') files.push(name);
    else if (await isLocalFolder(name)) files.push(...(await outputsIn(name, backends)));
    else for (const { path } of await findInputs([name], backends)) files.push(path);
  }
  return [...new Set(files)];
}

async function outputsIn(folder: string, backends: Backends): Promise<string[]> {
  const ledger = new RunLedger(folder, backends);
  await ledger.read();
  const outputs = ledger.files.map(({ output }) => output);
  if (outputs.length > 0) return outputs;
  throw new RowcastError('no_output', 'the folder has no record of runs', {
    location: { file: folder },
    hint: `Name its files by a quoted pattern, such as '${folder.replace(/\/+$/, '')}/*.csv'.`,
  });
}

/** The local report with which all files were scored, as far as their folders have a record of runs, if it is still that. */
async function reportOfRuns(
  scored: readonly string[],
  { home, predict }: EvaluateJob,
  backends: Backends,
): Promise<Report | undefined> {
  const used = new Set<string | undefined>();
  let ledger = { of: '', runs: new RunLedger('.', backends) };
  for (const file of scored) {
    const of = folderOf(file);
    if (ledger.of !== of) {
      ledger = { of, runs: new RunLedger(of, backends) };
      await ledger.runs.read();
    }
    used.add(ledger.runs.finished(file)?.options.report);
  }
  const [[id = '', hash] = []] = [...used].map(each => each?.split(' '));
  if (used.size !== 1 || hash === undefined) return undefined;
  const report = await readReportResponse(home, id);
  return reportHash(report) === hash && report.predicts === (predict ?? report.predicts) ? report : undefined;
}

/** @throws RowcastError `bad_evaluation`, `no_such_file`, `unreadable_input` */
async function earlierIn(
  file: string,
  backends: Backends,
): Promise<{ name: string; evaluation: Evaluation }> {
  const json = await readSummaryJson(file, backends).catch(error => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  const { data, error } = evaluationShape.safeParse(json);
  if (error === undefined) return { name: file, evaluation: data };
  throw new RowcastError('bad_evaluation', 'the file is no evaluation', {
    location: { file },
    hint: 'Give a file that rowcast evaluate --summary has written.',
  });
}

async function writeResults(
  evaluation: Evaluation,
  { summary, html, metrics, signal = new AbortController().signal }: EvaluateJob,
  backends: Backends,
): Promise<void> {
  const write = async (name: string | undefined, text: () => string | Promise<string>): Promise<void> => {
    if (name !== undefined)
      await writeWhole(await resolveTarget(name, false, backends), [await text()], signal);
  };
  await write(summary, () => `${JSON.stringify(evaluation, null, 2)}\n`);
  await write(metrics, () => openMetricsText('rowcast_evaluation', evaluationMetrics(evaluation)));
  // Loaded only when it is needed.
  await write(html, async () =>
    (await import('../../web/evaluate/evaluation-page.ts')).evaluationPage(evaluation),
  );
}

/** Options of `evaluate`: those of `rowcast evaluate` in camel case. */
export interface EvaluateOptions extends Omit<GivenEvaluateOptions, 'labels'> {
  /** Scored files: a path, `-` for stdin, the URL of a file or an object, a pattern, or several. */
  scored: string | URL | readonly (string | URL)[];
  /** What came true; by default a column of the scored files. */
  labels?: string | URL | readonly (string | URL)[] | undefined;
  /** The folder of the local reports; `.rowcast` by default. */
  home?: string | undefined;
  /** Stops the evaluation; nothing is written then. */
  signal?: AbortSignal | undefined;
  /** Called with what is read now. If it throws or rejects, so does `evaluate`: `callback_failed`. */
  onStep?: ((step: string) => void) | undefined;
}

/**
 * Says whether predictions came true: joins labels to scored rows, and measures them.
 *
 * @throws RowcastError `beyond_limit` for a limit that is not kept, when all files are written; `no_predictions`,
 *   `no_such_column`, `other_row_count`, `bad_option`, `interrupted`, and the errors of malformed files
 */
export function evaluate(given: EvaluateOptions): Promise<Evaluation> {
  return called(given?.signal, async stop => {
    checkObject('evaluate', given, 'scored and predict');
    const { home = '.rowcast', onStep } = given;
    const guard = new CallbackGuard(error => stop.fail(error));
    const own = ['scored', 'labels', 'home', 'signal', 'onStep'];
    const { evaluation, beyond } = await evaluateJob({
      ...readGiven(evaluateTable, given, own),
      scored: pathsOf('scored', given.scored),
      labels: given.labels === undefined ? [] : pathsOf('labels', given.labels),
      home,
      signal: stop.signal,
      onStep: onStep && guard.guard('onStep', onStep),
    });
    await guard.settled(stop.signal);
    if (beyond !== undefined) throw beyondLimit(beyond);
    return evaluation;
  });
}

/** @param beyond as of `EvaluatedJob` */
export const beyondLimit = (beyond: string): RowcastError =>
  new RowcastError('beyond_limit', beyond, {
    severity: 'stopped',
    hint: 'Look at calibration and segments, and train again with newer rows if the world has changed.',
  });

function pathsOf(option: string, given: unknown): string[] {
  if (Array.isArray(given) && given.length > 0) return given.map(each => pathOf(option, each));
  return [pathOf(option, given)];
}
