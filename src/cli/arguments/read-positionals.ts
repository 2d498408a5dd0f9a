import { sanitize } from '../../base/sanitize.ts';
import { argumentName, type CommandRow } from '../command-table/command-row.ts';
import { commands } from '../command-table/commands.ts';
import { checkChoice } from './read-options.ts';
import { didYouMean, usageError } from './usage-error.ts';

/**
 * The arguments of a command by name.
 *
 * @throws RowcastError `usage`
 */
export async function readPositionals(
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
