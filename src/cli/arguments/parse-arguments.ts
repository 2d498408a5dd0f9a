import { parseArgs } from 'node:util';
import type { Option } from '../../config/options/option.ts';
import { sanitize } from '../../sanitize.ts';
import { type CommandRow, optionsOf } from '../table/command-row.ts';
import { commands } from '../table/commands.ts';
import { type GivenOption, readOptions } from './read-options.ts';
import { readPositionals } from './read-positionals.ts';
import { didYouMean, usageError } from './usage-error.ts';

/** A parsed command line. */
export type Arguments =
  /** `flags`: option or argument → its text, or a boolean; a list of texts if it may be repeated. */
  | { action: 'run'; command: CommandRow; flags: Readonly<Record<string, unknown>> }
  | { action: 'help'; command: CommandRow | undefined; isShort: boolean }
  | { action: 'version' };

/** Every spelling of every option, to tell options with a value from those without before the command is known. */
const spellings: ReadonlyMap<string, Option> = new Map(
  commands
    .flatMap(command => Object.entries(optionsOf(command)))
    .flatMap(([name, option]) => [name, option.formerName ?? name].map(spelling => [spelling, option])),
);

/** @throws RowcastError `usage`, `bad_option` */
export async function readArguments(argv: readonly string[]): Promise<Arguments> {
  const { words, given } = readWords(argv);
  const help = given.get('help');
  if (help !== undefined)
    return { action: 'help', command: findCommand(words), isShort: help.spelling === '-h' };
  if (given.has('version')) return { action: 'version' };
  const command = findCommand(words) ?? (await refuseCommand(words));
  const flags = await readOptions(command, given);
  const rest = words.slice(nameOf(command, words).split(' ').length);
  if (command.name === 'help')
    return {
      action: 'help',
      command: rest.length === 0 ? undefined : (findCommand(rest) ?? (await refuseCommand(rest))),
      isShort: false,
    };
  return { action: 'run', command, flags: { ...flags, ...(await readPositionals(command, rest)) } };
}

/** Splits a command line into options with their values, and other words. */
function readWords(argv: readonly string[]): { words: string[]; given: Map<string, GivenOption> } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...spellings].map(([name, { kind, alias }]) => [
        name,
        {
          type: kind === 'boolean' ? ('boolean' as const) : ('string' as const),
          ...(alias !== undefined && { short: alias }),
        },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const given = new Map<string, GivenOption>();
  let isUsed = false; // the word was the value of the boolean before it
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'positional' && !isUsed) words.push(token.value);
    isUsed = false;
    if (token.kind !== 'option') continue;
    const next = tokens[at + 1];
    const {
      name,
      value,
      usesNext = false,
    } = valueOfOption(token, next?.kind === 'positional' ? next.value : undefined);
    isUsed = usesNext;
    given.set(name, { spelling: token.rawName, values: [...(given.get(name)?.values ?? []), value] });
  }
  return { words, given };
}

/** The name and value of an option, which for a boolean may be the word after it: `--prediction false`. */
function valueOfOption(
  {
    name,
    value,
    inlineValue,
  }: { name: string; value?: string | undefined; inlineValue?: boolean | undefined },
  next: string | undefined,
): { name: string; value: string | boolean | undefined; usesNext?: boolean } {
  const positive = name.replace(/^no-/, '');
  if (positive !== name && spellings.get(positive)?.kind === 'boolean')
    return { name: positive, value: value === 'false' };
  // `-o --report r` lacks the output. A value that begins with a dash is written `--nulls=-x`.
  if (spellings.get(name)?.kind !== 'boolean')
    return { name, value: !inlineValue && /^-(-|[A-Za-z])/.test(value ?? '') ? undefined : value };
  const usesNext = value === undefined && (next === 'true' || next === 'false');
  return { name, value: (usesNext ? next : value) !== 'false', usesNext };
}

/** The command that the first words name: two of them, or one. */
function findCommand(words: readonly string[]): CommandRow | undefined {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ');
    const found = commands.find(command => command.name === name || command.formerName === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name under which a command was given. */
const nameOf = ({ name, formerName }: CommandRow, words: readonly string[]): string =>
  formerName === words.slice(0, 2).join(' ') ? formerName : name;

async function refuseCommand([word]: readonly string[]): Promise<never> {
  if (word === undefined) throw usageError('no command given; rowcast --help lists them');
  const names = commands.map(({ name }) => name);
  throw usageError(`unknown command: ${sanitize(word)}${await didYouMean(word, names)}`);
}
