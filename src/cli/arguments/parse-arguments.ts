import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Option, Options } from '../../base/options/option.ts';
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

/** How the options are split from other words; a second name is an option of its own. */
const split: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
  [...allOptions].flatMap(([name, { kind, alias, secondName }]) => {
    const type = kind === 'boolean' ? ('boolean' as const) : ('string' as const);
    const own = [name, { type, ...(alias !== undefined && { short: alias }) }] as const;
    return secondName === undefined ? [own] : [own, [secondName, { type }] as const];
  }),
);

const firstNames: ReadonlyMap<string | undefined, string> = new Map(
  [...allOptions].map(([name, { secondName }]) => [secondName, name]),
);

/** Splits a command line into options with their values, and other words. @throws RowcastError `usage` */
function readWords(argv: readonly string[]): { words: string[]; given: Map<string, GivenOption> } {
  const words: string[] = [];
  const given = new Map<string, GivenOption>();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return { words: words.concat(argv.slice(at + 1)), given };
    if (!OPTION.test(word)) {
      words.push(word);
      continue;
    }
    // With the next word, which may be its value; of all words, parseArgs takes a time that grows with their square.
    const args = argv.slice(at, at + 2);
    for (const token of parseArgs({ args, options: split, strict: false, tokens: true }).tokens) {
      if (token.kind !== 'option' || token.index > 0) continue;
      const { name, value, usesNext } = readOption(token, args[1]);
      if (value === undefined) {
        const command = findCommand(argv.filter(word => !word.startsWith('-')));
        throw usageError(`${token.rawName} needs a value`, command);
      }
      if (usesNext) at++;
      const { spelling, values } = given.get(name) ?? { spelling: token.rawName, values: [] };
      given.set(name, { spelling, values: [...values, value] });
    }
  }
  return { words, given };
}

const OPTION = /^-./;
/** A value that is a number below zero is no option. */
const NEGATIVE = /^-(\d+(\.\d+)?|\.\d+)$/;

/** @returns no value if there is none for an option that needs one */
function readOption(
  token: { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
  next: string | undefined,
): { name: string; value: OptionValue | undefined; usesNext: boolean } {
  const { rawName, value, inlineValue } = token;
  const isNegated = token.name.startsWith('no-') && !Object.hasOwn(split, token.name);
  const typed = isNegated ? token.name.slice('no-'.length) : token.name;
  const name = firstNames.get(typed) ?? typed;
  const { kind = 'boolean' } = allOptions.get(name) ?? {};
  if (isNegated) return { name, value: false, usesNext: false };
  if (kind !== 'boolean') {
    const usesNext = inlineValue === false;
    const isOption = usesNext && value !== undefined && OPTION.test(value) && !NEGATIVE.test(value);
    // A letter may have it behind an equals sign, too: `-o=FILE`.
    const own = usesNext || rawName.startsWith('--') ? value : value?.replace(/^=/, '');
    return { name, value: isOption ? undefined : own, usesNext };
  }
  if (value !== undefined) return { name, value: value === 'true', usesNext: false };
  const usesNext = next === 'true' || next === 'false';
  return { name, value: next !== 'false', usesNext };
}

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
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
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
