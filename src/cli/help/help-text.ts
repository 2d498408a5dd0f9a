import type { Option, Options } from '../../base/options/option.ts';
import { describeWithDefault } from '../../base/options/values/option-text.ts';
import {
  argumentName,
  type CommandRow,
  commandGroups,
  documentedGroups,
} from '../command-table/command-row.ts';
import { commands } from '../command-table/commands.ts';
import { environmentVariables, purpose } from './about.ts';
import { exitCodeTable } from './exit-code-table.ts';
import { describedLine, paragraph } from './layout.ts';
import { type IsExplained, optionSyntax, usageLine, valueNotes } from './option-help.ts';

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
export function commandHelp(
  command: CommandRow,
  isShort: boolean,
  isExplained: IsExplained = () => false,
): string {
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
    ...(isShort ? [commonOptions(command)] : allOptions(command, isExplained)),
    section(
      'Examples',
      examples.map(each => `  # ${each.about}\n  ${each.command.replaceAll('\n', '\n  ')}`),
    ),
    ...(isShort
      ? [[`rowcast ${name} --help shows all options.`]]
      : [valueNotes(command, isExplained).map(note => paragraph(note))]),
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

function allOptions(command: CommandRow, isExplained: IsExplained): string[][] {
  const groups = documentedGroups(command).map(([heading, options]) => {
    const isKnown = ([name, { describe }]: [string, Option]): boolean => isExplained(name, describe);
    const entries = Object.entries(options);
    return {
      heading,
      toExplain: Object.fromEntries(entries.filter(entry => !isKnown(entry))),
      known: entries.filter(isKnown).map(([name]) => `--${name}`),
    };
  });
  const known = groups.flatMap(group => group.known);
  return [
    ...groups.map(({ heading, toExplain }) => section(heading, optionLines(toExplain))),
    section('Explained above', known.length === 0 ? [] : [paragraph(known.join(', '))]),
  ];
}

const optionLines = (options: Options): string[] =>
  Object.entries(options).map(([name, option]) => {
    const syntax = optionSyntax(name, option);
    return describedLine(`  ${syntax.startsWith('--') ? '    ' : ''}${syntax}`, describeWithDefault(option));
  });

/** Lines under a heading, or nothing without lines. */
const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${heading}:`, ...lines];

/** Blocks of lines, with an empty line between them. */
const textOf = (blocks: readonly (readonly string[])[]): string =>
  `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
