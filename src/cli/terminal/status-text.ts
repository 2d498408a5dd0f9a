import type { PredictionType } from '../../base/contract/predictions.ts';
import { counted, countOf, durationOf } from '../../base/number-text.ts';
import type { Options } from '../../base/options/option.ts';
import { scoreOptions } from '../../base/options/score.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readAsText } from '../../formats/read-options.ts';
import type { Checkpoint } from '../../runs/checkpoint/checkpoint.ts';
import type { NextRun } from '../../runs/status/next-run.ts';
import type { SavedCheckpoint, Status } from '../../runs/status/status.ts';
import { type StatusReport, statusReport } from '../../runs/status/status-report.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { alignColumns } from './print.ts';

export interface StatusContext {
  now: Date;
  /** What the command of an unfinished run does when it is run again. */
  next?: NextRun | undefined;
  /** The rejects file of a finished run, if it is gone. */
  lostRejects?: string | undefined;
}

/** Describes the state of an output for people. */
export function describeStatus(
  output: string,
  status: Status,
  { now, next = 'resumes', lostRejects }: StatusContext,
): string {
  const { saved, run, finished } = status;
  if (saved !== undefined)
    return [
      `${output}: ${stateOf(saved.checkpoint, run !== undefined, next)}\n\n`,
      alignColumns(
        [...paceRows(statusReport(output, status)), ...rowsOf(saved, status, now)].map(([name, ...text]) => [
          `  ${name}`,
          text.join(', '),
        ]),
      ),
    ].join('');
  if (run !== undefined) return `${output}: running${processOf(run)}, no checkpoint yet\n`;
  if (finished !== undefined)
    return `${output}: finished, ${bytesText(finished.bytes)}, written ${timeOf(finished.modified, now)}${lostRejectsText(lostRejects)}\n`;
  return `${output}: interrupted before the first checkpoint; rerunning starts from the first row\n`;
}

const lostRejectsText = (lost: string | undefined): string =>
  lost === undefined
    ? ''
    : `; its rejects file ${sanitize(lost)} is gone, so the next command for its folder scores it again`;

function stateOf({ state, position, stopped }: Checkpoint, isAlive: boolean, next: NextRun): string {
  if (state === 'complete')
    return isAlive
      ? 'complete, being moved into place'
      : 'complete, but not moved into place; rerunning the command does that';
  if (!isAlive && next === 'resumes' && stopped !== undefined)
    return sanitize(
      `stopped: ${stopped.message} [${stopped.code}]; the same command would stop again. ${stopped.hint ?? ''}`.trim(),
    );
  return isAlive ? 'running' : `stopped; ${nextTexts[next](counted(position.row))}`;
}

const nextTexts: Readonly<Record<NextRun, (row: string) => string>> = {
  resumes: row => `rerunning the command resumes at row ${row}`,
  compares: row =>
    `the input was modified since, so rerunning the command resumes at row ${row} only if the rows before it are the same`,
  refuses: () =>
    'the input has changed since, so rerunning the command is refused without --restart or --restart-if-changed',
  lacks_input: row => `rerunning the command resumes at row ${row} once the input is there again`,
  retrained: () =>
    'the report of this name, in .rowcast or ROWCAST_HOME, is another one now, so rerunning the command is refused without --restart or --restart-if-changed',
  trains: () =>
    'the history has changed since, so rerunning the command trains the report again and starts from the first row',
};

/** The id of the run; how fast it is and how long it takes, if it is running. */
function* paceRows({
  run_id: id,
  attempts = 1,
  alive,
  rows_per_second: rate,
  eta_seconds: left,
}: StatusReport): Generator<string[]> {
  if (id !== undefined) yield ['run id', id, ...(attempts > 1 ? [`attempt ${attempts}`] : [])];
  if (!alive || rate === null) return;
  yield ['rate', `${counted(rate)} rows/s`, ...(left === null ? [] : [`about ${durationOf(left)} left`])];
}

function* rowsOf({ checkpoint, modified }: SavedCheckpoint, status: Status, now: Date): Generator<string[]> {
  const { fingerprint, position, rowCounts, output, predictionType } = checkpoint;
  const { input } = fingerprint;
  yield ['checkpoint', `written ${timeOf(modified, now)}`];
  yield ['run', status.run === undefined ? 'not running' : `running${processOf(status.run)}`];
  yield ['input', sanitize(input.path), inputText(input)];
  const dialect = readAsText(fingerprint.readAs);
  if (dialect !== '') yield ['dialect', dialect];
  yield ['next', `row ${counted(position.row)}`, `line ${counted(position.line)}${shareOf(checkpoint)}`];
  yield [
    'rows',
    `${counted(rowCounts.scored)} scored`,
    ...(rowCounts.rejected > 0
      ? [`${counted(rowCounts.rejected)} rejected${countsOf(rowCounts.rejectedBy)}`]
      : []),
    countOf(rowCounts.blank, 'blank line'),
  ];
  yield ['batches', counted(rowCounts.batches)];
  if (fingerprint.service !== LOCAL)
    yield ['requests', counted(rowCounts.calls), ...retriesOf(rowCounts.retries)];
  yield ['written', bytesText(output.bytes), ...compressedOf(output)];
  yield [
    'partial file',
    status.partialBytes === undefined ? 'not there' : bytesText(status.partialBytes),
    ...(status.finished === undefined ? [] : ['the previous output is kept until the run finishes']),
  ];
  if (predictionType !== undefined) yield predictedText(predictionType);
  yield ['report', sanitize(fingerprint.report.id), serviceText(fingerprint.service)];
  yield ['options', ...optionsOf(fingerprint.options)];
}

function inputText({ size, codec }: Checkpoint['fingerprint']['input']): string {
  const what = codec === 'none' ? 'plain' : codec;
  return size === null ? `${what}, size unknown` : `${what}, ${bytesText(size)}`;
}

/** How much of the input was scored, if it is not compressed: offsets are those of the uncompressed bytes. */
function shareOf({ fingerprint: { input }, position }: Checkpoint): string {
  if (input.codec !== 'none' || !input.size) return '';
  return `, ${Math.floor((100 * position.offset) / input.size)}% of the input`;
}

/** For example ` (too_few_fields 3, odd 1)`. */
function countsOf(counts: Readonly<Record<string, number>>): string {
  const each = Object.entries(counts).map(([code, count]) => `${sanitize(code)} ${counted(count)}`);
  return each.length === 0 ? '' : ` (${each.join(', ')})`;
}

function retriesOf(retries: Readonly<Record<string, number>>): string[] {
  const sum = Object.values(retries).reduce((total, count) => total + count, 0);
  return sum === 0 ? [] : [`${counted(sum)} retried${countsOf(retries)}`];
}

function compressedOf({ bytes, uncompressed, open }: Checkpoint['output']): string[] {
  return [
    ...(bytes === uncompressed ? [] : [`${bytesText(uncompressed)} before compression`]),
    ...(open === undefined ? [] : [`${bytesText(open.length)} of them in the checkpoint`]),
  ];
}

/** The options that affect the output and differ from their defaults. */
function optionsOf(given: Readonly<Record<string, string>>): string[] {
  const table: Options = scoreOptions;
  const own = Object.entries(given).filter(
    ([flag, value]) => value !== JSON.stringify(table[flag.replace(/^--/, '')]?.default),
  );
  return own.length === 0 ? ['defaults'] : own.map(([flag, value]) => sanitize(`${flag} ${value}`));
}

const processOf = ({ pid }: { pid: number | undefined }): string =>
  pid === undefined ? '' : ` (process ${pid})`;

const bytesText = (bytes: number): string => countOf(bytes, 'byte');

/** Units of a duration; each is used up to twice the next larger one. */
const UNITS = [
  { name: 's', seconds: 1, below: 120 },
  { name: 'min', seconds: 60, below: 7200 },
  { name: 'h', seconds: 3600, below: 172_800 },
  { name: 'days', seconds: 86_400, below: Number.POSITIVE_INFINITY },
];

/** A time and how long ago it was, for example `2024-05-01T12:00:00Z, 5 s ago`. */
function timeOf(then: Date, now: Date): string {
  const ago = Math.max(0, (now.getTime() - then.getTime()) / 1000);
  const unit = UNITS.find(({ below }) => ago < below);
  return `${then.toISOString().slice(0, 19)}Z, ${Math.round(ago / (unit?.seconds ?? 1))} ${unit?.name} ago`;
}

/** What each prediction consists of, as the heading of a line and its text. */
export function predictedText(predictionType: PredictionType): [heading: string, text: string] {
  switch (predictionType.kind) {
    case 'distribution':
      return ['classes', listOf(predictionType.classes)];
    case 'label':
      return ['predicted', 'a label'];
    case 'numbers':
      return predictionType.names.length === 0
        ? ['predicted', 'a number']
        : ['numbers', listOf(predictionType.names)];
  }
}

const listOf = (names: readonly string[]): string => sanitize(names.join(', '));

/** Who predicts, for people: the base URL, or the reports of this machine. */
const serviceText = (service: string): string => (service === LOCAL ? 'local reports' : sanitize(service));
