import yargs from 'yargs';
import { RowcastError } from '../../base/errors.ts';
import { flagSpellings, type Option, type Options } from '../../base/options/option.ts';
import { sanitize } from '../../base/sanitize.ts';
import { shellWord } from '../../base/shell-word.ts';
import { argumentName, type CommandRow, documentedGroups, optionsOf } from '../command-table/command-row.ts';
import { commands } from '../command-table/commands.ts';
import { didYouMean, insteadOfOption, questionOf, usageError } from './usage-error.ts';

/** A parsed command line. */
export type Arguments =
  /** `flags`: option or argument → its text, or a boolean; a list of texts if it may be repeated. */
  | { action: 'run'; command: CommandRow; flags: Readonly<Record<string, unknown>> }
  | { action: 'help'; command: CommandRow | undefined; isShort: boolean }
  | { action: 'version' };

/** Every option, to tell options with a value from those without before the command is known. */
const allOptions: ReadonlyMap<string, Option> = new Map(
  commands.flatMap(command => Object.entries(optionsOf(command))),
);

/** @throws RowcastError `usage`, `bad_option` */
export async function readArguments(argv: readonly string[]): Promise<Arguments> {
  const { words, given } = readWords(argv);
  if (given.has('help'))
    return { action: 'help', command: findCommand(words), isShort: !argv.includes('--help') };
  if (given.has('version')) return { action: 'version' };
  const command = findCommand(words) ?? (await refuseCommand(words));
  const flags = await readOptions(command, given);
  const rest = words.slice(wordsOf(command));
  if (command.name === 'help') {
    const asked = rest.length === 0 ? undefined : (findCommand(rest) ?? (await refuseCommand(rest)));
    if (asked !== undefined && rest.length > wordsOf(asked))
      throw usageError(`unknown command: ${sanitize(rest.join(' '))}`);
    return { action: 'help', command: asked, isShort: false };
  }
  return { action: 'run', command, flags: { ...flags, ...(await readPositionals(command, rest)) } };
}

/** Splits a command line into options with their values, and other words. @throws RowcastError `usage` */
function readWords(argv: readonly string[]): { words: string[]; given: Map<string, GivenOption> } {
  // yargs keeps what it knows of options in plain objects, whose members it would take for that.
  for (const word of argv.slice(0, optionsEnd(argv))) {
    const [option = '', name = ''] = /^--(?:no-)?([^=]+)/.exec(word) ?? [];
    if (name in Object.prototype) throw usageError(`unknown option: ${option}`, commandIn(argv));
  }
  const parser = yargs()
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-positional-numbers': false,
      'strip-aliased': true,
    })
    .updateStrings({ 'Not enough arguments following: %s': '%s' })
    .fail((message, error) => {
      throw error instanceof RowcastError
        ? error
        : usageError(`${dashed(message)} needs a value`, commandIn(argv));
    });
  // Those of a kind at once, because yargs checks the arguments of each call, which took longer than the parsing.
  const namesOf = (hasValue: boolean): string[] =>
    [...allOptions].flatMap(([name, { kind }]) => ((kind !== 'boolean') === hasValue ? name : []));
  parser.boolean(namesOf(false)).string(namesOf(true)).requiresArg(namesOf(true));
  for (const [name, { alias, secondName }] of allOptions)
    for (const other of [alias, secondName]) if (other !== undefined) parser.alias(name, other);
  const { _: words, ...options } = parser.parseSync(separateValues(argv));
  const given = new Map<string, GivenOption>();
  for (const [name, value] of Object.entries(options))
    if (name !== '$0')
      given.set(name, { spelling: spellingOf(name, argv), values: [value].flat() as OptionValue[] });
  return { words: words.map(String), given };
}

/** Words after `--` are no options. */
const optionsEnd = (argv: readonly string[]): number => [...argv, '--'].indexOf('--');

/** yargs reads `-oFILE` as several letters; here it is `-o FILE`, as everywhere else. */
function separateValues(argv: readonly string[]): string[] {
  const end = optionsEnd(argv);
  return argv.flatMap((word, at) => {
    const letter = /^-([A-Za-z])[^=]/.exec(word)?.[1];
    const isValueNext = lettersWithValue.has(letter) && at < end;
    return isValueNext ? [word.slice(0, 2), word.slice(2)] : [word];
  });
}

const lettersWithValue: ReadonlySet<string | undefined> = new Set(
  [...allOptions.values()].filter(({ kind }) => kind !== 'boolean').flatMap(({ alias }) => alias ?? []),
);

/** How an option was typed: with one dash or two, by its second name, or negated. yargs gives its first name. */
function spellingOf(name: string, argv: readonly string[]): string {
  if (argv.includes(`--no-${name}`)) return `--no-${name}`;
  const option = allOptions.get(name);
  if (option === undefined) return dashed(name);
  const spellings = flagSpellings(name, option);
  const isTyped = (flag: string): boolean => argv.some(word => word === flag || word.startsWith(`${flag}=`));
  // If none is a word, it is the letter with its value behind it.
  return spellings.find(isTyped) ?? spellings[0] ?? '';
}

const commandIn = (argv: readonly string[]): CommandRow | undefined =>
  findCommand(argv.filter(word => !word.startsWith('-')));

const dashed = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);

/** The command that the first words name: two of them, or one. */
function findCommand(words: readonly string[]): CommandRow | undefined {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ');
    const found = commands.find(command => command.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The number of words in a command's name. */
const wordsOf = ({ name }: CommandRow): number => name.split(' ').length;

/** Commands are few and short: with half of its letters right, `skor` is nearest to the one that is meant. */
const COMMAND_SHARE = 1 / 2;

async function refuseCommand([word]: readonly string[]): Promise<never> {
  if (word === undefined) throw usageError('no command given');
  const { insteadOfCommand } = await import('../../base/other-words.ts');
  const instead = insteadOfCommand(word);
  const names = commands.map(({ name }) => name);
  const near = instead === undefined ? await didYouMean(word, names, COMMAND_SHARE) : `; ${instead}`;
  throw usageError(`unknown command: ${sanitize(word)}${near}`);
}

/**
 * The arguments of a command by name.
 *
 * @throws RowcastError `usage`
 */
async function readPositionals(
  command: CommandRow,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const rest = [...words];
  const { positionals = [] } = command;
  for (const [index, positional] of positionals.entries()) {
    const { name, isRequired, isRepeated } = positional;
    if (isRequired && rest.length === 0)
      throw usageError(`missing argument: ${argumentName(positional)}`, command);
    // A word is left for each of those that follow.
    const count = Math.max(1, rest.length - (positionals.length - index - 1));
    const value = isRepeated && rest.length > 0 ? rest.splice(0, count) : rest.shift();
    if (typeof value === 'string') await checkChoice(command, argumentName(positional), positional, value);
    if (value !== undefined) values[name] = value;
  }
  const [extra] = rest;
  if (extra === undefined) return values;
  const inner = commands.map(({ name }) => name).filter(name => name.startsWith(`${command.name} `));
  if (inner.length === 0) throw usageError(`unexpected argument: ${sanitize(extra)}`, command);
  const name = `${command.name} ${extra}`;
  throw usageError(`unknown command: ${sanitize(name)}${await didYouMean(name, inner)}`);
}

/** A boolean is the value of a boolean option, or of an option that was negated. */
type OptionValue = string | boolean;

/** An option on a command line. */
interface GivenOption {
  /** The option as typed, for messages. */
  spelling: string;
  values: OptionValue[];
}

/**
 * Checks that a command has the options that it was given, and takes the value of each.
 *
 * @throws RowcastError `usage`, `bad_option`
 */
async function readOptions(
  command: CommandRow,
  given: ReadonlyMap<string, GivenOption>,
): Promise<Record<string, unknown>> {
  const options = optionsOf(command);
  const flags: Record<string, unknown> = {};
  for (const [name, { spelling, values }] of given) {
    const option = options[name];
    const isNegated = option?.kind !== 'boolean' && values.includes(false);
    if (option === undefined || option.definitionOnly || isNegated) {
      const names = documentedGroups(command).flatMap(([, group]) => Object.keys(group));
      const instead = await insteadOfOption(spelling, names);
      const near =
        instead === '' && spelling === `-${name}` ? questionOf(withInitial(name, options)) : instead;
      throw usageError(`unknown option: ${sanitize(spelling)}${near}`, command);
    }
    for (const value of values)
      if (typeof value === 'string') await checkChoice(command, `--${name}`, option, value);
    // If an option is repeated, the last value wins, so that a shell alias can be overridden.
    flags[name] = option.repeatable && values.length > 1 ? values : values.at(-1);
  }
  const missing = command.required?.find(name => flags[name] === undefined);
  if (missing !== undefined) throw usageError(`a required option is missing: --${missing}`, command);
  return flags;
}

/** The options that a letter may stand for: the common ones that begin with it, if they are few. */
function withInitial(letter: string, options: Options): string[] {
  const begins = Object.entries(options).filter(([name]) => name.startsWith(letter));
  const common = begins.filter(([, option]) => option.common);
  const names = (common.length > 0 ? common : begins).map(([name]) => `--${name}`);
  return names.length > 3 ? [] : names;
}

/** @throws RowcastError `usage` for a value that is not one of the option's choices */
async function checkChoice(
  command: CommandRow,
  name: string,
  { kind, choices }: Option,
  value: string,
): Promise<void> {
  if (kind !== 'text' || choices === undefined || choices.includes(value)) return;
  const message = `${name}: expected one of ${choices.join(', ')}, got ${sanitize(value)}`;
  // Elsewhere, the target is the column.
  const instead = name === '--target' ? questionOf([`--predict ${shellWord(value)}`]) : '';
  throw usageError(`${message}${(await didYouMean(value, choices)) || instead}`, command);
}
