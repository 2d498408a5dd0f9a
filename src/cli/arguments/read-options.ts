import type { Option, Options } from '../../base/options/option.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type CommandRow, documentedGroups, optionsOf } from '../command-table/command-row.ts';
import { didYouMean, insteadOfOption, questionOf, usageError } from './usage-error.ts';

/** A boolean is the value of a boolean option, or of an option that was negated. */
export type OptionValue = string | boolean;

/** An option on a command line. */
export interface GivenOption {
  /** The option as typed, for messages. */
  spelling: string;
  values: OptionValue[];
}

/**
 * Checks that a command has the options that it was given, and takes the value of each.
 *
 * @throws RowcastError `usage`, `bad_option`
 */
export async function readOptions(
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
export async function checkChoice(
  command: CommandRow,
  name: string,
  { kind, choices }: Option,
  value: string,
): Promise<void> {
  if (kind !== 'text' || choices === undefined || choices.includes(value)) return;
  const message = `${name}: expected one of ${choices.join(', ')}, got ${sanitize(value)}`;
  throw usageError(`${message}${await didYouMean(value, choices)}`, command);
}
