import { counted, countOf } from '../../base/number-text.ts';
import { causeOfCode, fixOfCode } from '../../base/reference/cause-of-code.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { RunError, Summary } from '../../runs/summary/summary.ts';
import type { CommandOutcome } from '../context.ts';

/** What a command has come to, and how it has ended. */
export interface CommandEnding extends CommandOutcome {
  command: string;
  status: Summary['status'];
  exit_code: number;
  error: RunError | null;
  started_at: string;
  finished_at: string;
}

/** What is sent: a text for people, and members of the summary for programs. */
export interface Notification extends Readonly<Record<string, unknown>> {
  text: string;
}

/** Warnings, and files, that are named at most; characters of names. */
const [MAX_WARNINGS, MAX_FILES, MAX_CHARACTERS] = [10, 3, 1_000];

/**
 * Codes of errors whose message has only counts, names of files, columns and options: no values of rows, and no
 * responses.
 */
const SAFE_MESSAGES: readonly string[] = [
  ...['bad_definition', 'usage', 'no_key', 'no_such_file', 'locked', 'disk_full', 'interrupted'],
  ...['too_many_mismatches', 'too_many_unseen', 'too_many_missing', 'too_much_drift'],
  ...['input_not_ready', 'under_min_rows', 'same_as_last', 'missing_columns'],
];

/** Codes of errors whose hint is in the words of rowcast, which know the options, whatever a service has responded. */
const SAFE_HINTS: readonly string[] = [
  ...SAFE_MESSAGES,
  ...['unauthorized', 'missing_scope', 'no_such_report', 'http_401', 'http_403', 'http_404'],
  ...['service_unreachable', 'service_timeout', 'no_such_host'],
];

/**
 * What is sent about the end of a command. It goes to a service of somebody else, so it has no values of rows: of
 * errors, what the documentation says about their code; and no codes that a prediction service has chosen. It is
 * bounded, whatever the number of columns and files.
 */
export function notificationOf(ending: CommandEnding): Notification {
  const {
    columns: _columns,
    scores: _scores,
    labels: _labels,
    drift: _drift,
    classes: _classes,
    prediction: _prediction,
    options: _options,
    runs,
    ...members
  } = ending;
  const { input, output, rows, retries, warnings } = members;
  const error = safeError(ending.error);
  return {
    text: textOf({ ...ending, error }),
    ...members,
    error,
    ...(input !== undefined && { input: shortened(input) }),
    ...(output !== undefined && { output: shortened(output) }),
    ...(rows && { rows: { ...rows, rejected_by: safeCodes(rows.rejected_by) } }),
    ...(retries && { retries: safeCodes(retries) }),
    ...(warnings && { warnings: warnings.slice(0, MAX_WARNINGS) }),
    ...(runs && { files: filesBy(runs) }),
  };
}

function safeError(error: RunError | null): RunError | null {
  if (error === null) return null;
  const { code, message, hint } = error;
  const isSafe = SAFE_MESSAGES.includes(code);
  const cause = causeOfCode(code);
  return {
    ...error,
    code: safeCode(code),
    message: isSafe ? message : plain(cause ?? 'The service responded with an error code of its own.'),
    hint: (SAFE_HINTS.includes(code) ? hint : null) ?? (plain(fixOfCode(code) ?? '') || null),
  };
}

const INTERRUPTED = 'interrupted';

/** A code that a service has chosen may quote what it was sent. */
const OTHER_CODE = 'other';
const safeCode = (code: string): string => (causeOfCode(code) === undefined ? OTHER_CODE : code);

function safeCodes(counts: Readonly<Record<string, number>>): Record<string, number> {
  const safe: Record<string, number> = {};
  for (const [code, count] of Object.entries(counts)) {
    const known = safeCode(code);
    safe[known] = (safe[known] ?? 0) + count;
  }
  return safe;
}

/** How many files have ended in which way. */
function filesBy(runs: Iterable<Summary>): Record<string, number> {
  const files: Record<string, number> = {};
  for (const { status } of runs) files[status] = (files[status] ?? 0) + 1;
  return files;
}

/** What has ended, how, and what to do, in plain sentences. */
function textOf(ending: CommandEnding): string {
  const { command, status, exit_code, error } = ending;
  const verb = {
    finished: 'has finished',
    skipped: 'had nothing to do',
    stopped: 'was stopped',
    refused: 'was refused',
    running: 'has not ended',
  }[status];
  const facts = [...whatOf(ending), ...countsOf(ending)].join(', ');
  const end = `rowcast ${command} ${verb}${facts === '' ? '' : `: ${facts}`} (exit code ${exit_code}).`;
  const more = [
    error === null ? undefined : reasonFor(error),
    error === null ? undefined : whatToDo(error),
    error === null || SAFE_MESSAGES.includes(error.code) ? undefined : 'The log says more.',
    ...failedFiles(ending.runs ?? [], error?.code === INTERRUPTED),
    (ending.rows?.rejected ?? 0) > 0 ? rejectsOf(ending) : undefined,
    rejectedBefore(ending),
    ...(ending.warnings ?? [])
      .slice(0, MAX_FILES)
      .map(({ message }) => `Warning: ${message.replace(/\.$/, '')}.`),
  ];
  const text = [end, ...more.filter(part => part !== undefined)].join(' ');
  // Chats take what is between these for commands, such as <!channel>.
  return shortened(text.replaceAll('<', '‹').replaceAll('>', '›'), 3 * MAX_CHARACTERS);
}

function whatOf({ definition, input = '', output = '', report, folder, runs }: CommandEnding): string[] {
  const what: string[] = [];
  if (definition !== undefined) what.push(sanitize(definition));
  if (input !== '') what.push(`${shortened(input, 200)} to ${shortened(output, 200)}`);
  if (folder !== undefined) what.push(folder);
  if (report) what.push(`report ${sanitize(report)}`);
  if (runs) what.push(countOf(runs.length, 'file'));
  return what;
}

function countsOf({ status, rows, shards, accuracy, r2 }: CommandEnding): string[] {
  if (rows !== undefined && rows.read === 0 && status === 'refused') return [];
  if (rows !== undefined)
    return [
      `${countOf(rows.read, 'row')} read`,
      `${counted(rows.scored)} scored`,
      ...(rows.rejected === 0 ? [] : [`${counted(rows.rejected)} rejected`]),
    ];
  if (shards !== undefined) return [`${countOf(shards, 'shard')} scored`];
  if (r2 !== undefined) return [`R² ${r2}`];
  return accuracy === undefined ? [] : [`accuracy ${accuracy}`];
}

function reasonFor({ code, message, file, line, row }: RunError): string {
  const location = [file, line].filter(part => part !== null).join(':');
  const where = location === '' ? '' : `${sanitize(location)}: `;
  const atRow = row === null ? '' : `, row ${row}`;
  return `${where}${message.replace(/\.$/, '')} [${code}]${atRow}.`;
}

function whatToDo({ retryable, hint }: RunError): string | undefined {
  const isSaid = !retryable || (hint !== null && /run the same command/i.test(hint));
  return (
    [hint, isSaid ? null : 'Run the same command again.'].filter(part => part !== null).join(' ') || undefined
  );
}

/** Where the rejected rows are: those of a run that has not finished are in another file than they are to be in. */
function rejectsOf({ runs, ...ending }: CommandEnding): string | undefined {
  const isDone = (status: Summary['status']): boolean => status === 'finished' || status === 'skipped';
  if (runs === undefined || runs === null || isDone(ending.status))
    return ending.rejects ? `Rejected rows are in ${ending.rejects}.` : undefined;
  let first: string | undefined;
  let others = 0;
  for (const { rows, rejects } of runs) {
    if (rows.rejected === 0 || rejects === null) continue;
    if (first === undefined) first = rejects;
    else others++;
  }
  if (first === undefined) return undefined;
  return `Rejected rows are in ${first}${others === 0 ? '' : `, and of ${countOf(others, 'other file')} likewise`}.`;
}

/** The rejected rows of what was skipped, because it was scored before. */
function rejectedBefore({ runs, status, last }: CommandEnding): string | undefined {
  let rejected = 0;
  for (const run of runs ?? [{ status, last }])
    if (run.status === 'skipped') rejected += run.last?.rows.rejected ?? 0;
  return rejected === 0
    ? undefined
    : `When the skipped files were scored, ${countOf(rejected, 'row')} ${rejected === 1 ? 'was' : 'were'} rejected.`;
}

/** Files that were stopped because another one failed have no error of their own. */
function failedFiles(runs: Iterable<Summary>, isInterrupted: boolean): string[] {
  const named: string[] = [];
  let [failed, stopped] = [0, 0];
  for (const { status, input, error } of runs) {
    if (status !== 'stopped' && status !== 'refused') continue;
    if (error?.code === INTERRUPTED && !isInterrupted) stopped++;
    else if (failed++ < MAX_FILES) named.push(`${sanitize(input)} [${safeCode(error?.code ?? OTHER_CODE)}]`);
  }
  const all = failed + stopped;
  if (all === 0) return [];
  const more = failed > MAX_FILES ? ', …' : '';
  const because =
    stopped === 0 ? '' : `; ${counted(stopped)} of them ${stopped === 1 ? 'was' : 'were'} stopped for that`;
  return [`Not scored: ${countOf(all, 'file')}: ${named.join(', ')}${more}${because}.`];
}

const shortened = (text: string, most = MAX_CHARACTERS): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** Text of the reference without its links. */
const plain = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
