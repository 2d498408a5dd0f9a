import {
  describeWithDefault,
  flagSpellings,
  type Option,
  type Options,
  placeholderOf,
} from '../../base/options/option.ts';
import {
  argumentName,
  type CommandRow,
  commandGroups,
  documentedGroups,
} from '../command-table/command-row.ts';
import { commands } from '../command-table/commands.ts';
import { paragraph, WIDTH, wrapped } from '../wrapped-text.ts';

const purpose =
  'Scores CSV, JSON lines or Parquet with a prediction service: every row comes back with its predicted probabilities.';

/** Variables of the environment, with what they are. */
export const environmentVariables = [
  ['ROWCAST_URL', 'base URL of the service'],
  ['ROWCAST_API_KEY', 'its key; for serve, a key that opens all reports'],
  ['ROWCAST_HOME', 'folder of local reports and keys (default: .rowcast)'],
  ['ROWCAST_QUEUE', 'URL of the queue of score and work, with its password'],
] as const;

/** The help of the program: its commands in groups. */
export function rootHelp(isShort: boolean): string {
  const groups = commandGroups.map(group => [
    `${group}:`,
    ...commands
      .filter(command => command.group === group)
      .map(command => describedLine(`  ${callOf(command)}`, command.describe)),
  ]);
  const rest = [
    ['Environment:', ...environmentVariables.map(([name, text]) => describedLine(`  ${name}`, text))],
    ['Exit codes:', ...exitCodeTable.map(({ code, short }) => describedLine(`  ${code}`, short))],
  ];
  return textOf([
    ['Usage: rowcast COMMAND [options]'],
    [paragraph(purpose)],
    ...groups,
    ...(isShort ? [] : rest),
    ['rowcast COMMAND -h shows the common options of a command, --help all of them.'],
  ]);
}

/**
 * The help of a command.
 *
 * @param isShort whether only the common options are shown
 */
export function commandHelp(command: CommandRow, isShort: boolean): string {
  const { name, describe, positionals = [], examples } = command;
  const inner = commands.filter(other => other.name.startsWith(`${name} `));
  const parts = [
    [`Usage: ${usageLine(command)}`],
    [paragraph(`${describe.charAt(0).toUpperCase()}${describe.slice(1)}.`)],
    section(
      'Arguments',
      positionals.map(each => describedLine(`  ${argumentName(each)}`, describeWithDefault(each))),
    ),
    section(
      'Commands',
      inner.map(other => describedLine(`  ${callOf(other)}`, other.describe)),
    ),
    ...(isShort ? [commonOptions(command)] : allOptions(command)),
    section(
      'Examples',
      Object.entries(examples).map(([about, typed]) => `  # ${about}\n  ${typed.replaceAll('\n', '\n  ')}`),
    ),
    ...(isShort
      ? [[`rowcast ${name} --help shows all options.`]]
      : [valueNotes(command).map(note => paragraph(note))]),
  ];
  return textOf(parts);
}

/** A command with its arguments. */
const callOf = ({ name, positionals = [] }: CommandRow): string =>
  [name, ...positionals.map(each => (each.isRequired ? argumentName(each) : `[${argumentName(each)}]`))].join(
    ' ',
  );

const commonOptions = (command: CommandRow): string[] =>
  section(
    'Common options',
    documentedGroups(command).flatMap(([, options]) =>
      optionLines(Object.fromEntries(Object.entries(options).filter(([, { common }]) => common))),
    ),
  );

const allOptions = (command: CommandRow): string[][] =>
  documentedGroups(command).map(([heading, options]) => section(heading, optionLines(options)));

const optionLines = (options: Options): string[] =>
  Object.entries(options).map(([name, option]) => {
    const syntax = optionSyntax(name, option);
    return describedLine(`  ${syntax.startsWith('--') ? '    ' : ''}${syntax}`, describeWithDefault(option));
  });

/** How an option is written: `-o, --output FILE`. */
export const optionSyntax = (name: string, option: Option): string =>
  `${flagSpellings(name, option).join(', ')} ${placeholderOf(option)}`.trimEnd();

/** How a command is called: `rowcast score [INPUT] [options]`. */
export function usageLine({ name, positionals = [] }: CommandRow): string {
  const words = positionals.map(positional => {
    const shown = `${argumentName(positional)}${positional.isRepeated ? ' ...' : ''}`;
    return positional.isRequired ? shown : `[${shown}]`;
  });
  return ['rowcast', name, ...words, '[options]'].join(' ');
}

/** How values are written, for the kinds that a command has. */
export function valueNotes(command: CommandRow): string[] {
  const kinds = new Set(
    documentedGroups(command).flatMap(([, group]) => Object.values(group).map(({ kind }) => kind)),
  );
  return NOTES.flatMap(({ kind, text }) => (kinds.has(kind) ? [text] : []));
}

const NOTES: readonly { kind: Option['kind']; text: string }[] = [
  { kind: 'duration', text: 'A DURATION is a number of seconds, or has a unit: 500ms, 90s, 5m, 2h, 1d.' },
  { kind: 'size', text: 'A SIZE is a number of bytes, or has a unit: 64K or 64KiB, 1M or 1MiB, 2G or 2GiB.' },
  { kind: 'list', text: `A LIST is comma-separated; quote items as in CSV: 'a,"b,c"'.` },
  { kind: 'map', text: `A MAP is a comma-separated list of NAME=VALUE: 'zip=categorical,"a,b=date"'.` },
  {
    kind: 'threshold',
    text: 'A percentage takes effect after 1,000 rows, and at the end of the run; as a minimum, at the end only.',
  },
];

/** Lines under a heading, or nothing without lines. */
const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${heading}:`, ...lines];

/** Blocks of lines, with an empty line between them. */
const textOf = (blocks: readonly (readonly string[])[]): string =>
  `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;

/** Where descriptions begin. */
const COLUMN = 30;

/** Two columns: what is described, and its description, which is wrapped. */
export function describedLine(left: string, description: string): string {
  const lines = wrapped(description, WIDTH - COLUMN);
  const indented = lines.map(line => ' '.repeat(COLUMN) + line);
  // A long name has a line of its own.
  if (left.length > COLUMN - 2) return [left, ...indented].join('\n');
  return [left.padEnd(COLUMN) + (lines[0] ?? ''), ...indented.slice(1)].join('\n').trimEnd();
}

/** An exit code of the program. The help and docs/exit-codes-and-errors.md are made from these rows. */
export interface ExitCodeRow {
  /** One code, or several with the same meaning. */
  readonly code: string;
  /** For help. */
  readonly short: string;
  /** For the documentation, as Markdown. */
  readonly meaning: string;
  /** What a person or a scheduler does. */
  readonly action: string;
}

export const exitCodeTable: readonly ExitCodeRow[] = [
  {
    code: '0',
    short: 'success',
    meaning:
      'all rows were scored, or rejects are within `--rejects-ok`; skipped; or the reader of a pipe stopped early',
    action: 'go on',
  },
  {
    code: '1',
    short: 'finished; some rows were rejected',
    meaning: 'finished, with rejected rows, also of unchanged files that are skipped',
    action: 'go on, and look at the rejects; `--rejects-ok` allows some',
  },
  {
    code: '2',
    short: 'nothing was done: wrong usage, definition, input, report or key',
    meaning: 'nothing was done: wrong command line, definition, key, input, report or output',
    action: 'do not retry: correct the error',
  },
  {
    code: '3',
    short: 'stopped, and would stop again: too many rejects, damaged input',
    meaning:
      'stopped, and would stop again: too many rejects, damaged input, revoked key, unreadable or unwritable file',
    action: 'do not retry: remove the cause, then the same command resumes',
  },
  {
    code: '4',
    short: 'row counts do not add up, or verify found a difference',
    meaning: 'finished, but the row counts do not add up, or `verify` found a difference',
    action: 'do not use the output',
  },
  {
    code: '70',
    short: 'a bug in rowcast',
    meaning: 'a bug, or a crash of Node.js',
    action: 'report it with the last lines on stderr',
  },
  {
    code: '75',
    short: 'try again later: service unavailable, output locked, disk full',
    meaning: 'temporary: service unavailable for `--max-outage`, file of another run, disk full',
    action: 'retry the same command after a while',
  },
  {
    code: '129, 130, 143',
    short: 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes',
    meaning:
      'SIGHUP, SIGINT or SIGTERM: requests in flight were finished (up to 10 s). 137 (SIGKILL) is the same without ' +
      'that',
    action: 'run the same command again',
  },
];
