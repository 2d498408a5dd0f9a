import type { Kind, RunOption } from '../config/options/option.ts';
import { runOptions } from '../config/options/score.ts';
import { camelCase, resolveValues, type Values } from '../config/resolve-options.ts';
import { dialectOf } from '../formats/csv/dialect.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import { type Address, type Environment, flagsOfAddress } from '../library/service/choose-service.ts';
import { shellWord } from '../shell-word.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';

/** These apply to the whole input, or to a file that has another name now. */
const NOT: readonly string[] = ['limit', 'names', 'encoding', 'output-header'];

export interface RejectsOfRun {
  values: Values<typeof runOptions>;
  /** A path, or `-` for stdin. */
  input: string;
  address: Address;
  /** The path of the rejects file. */
  rejects: string;
  env: Environment;
}

/** The last message of a run with rejects: where they are, and what to do. */
export function describeRejects(run: RejectsOfRun): string {
  const [score, repair] = repairCommands(run);
  return `the rejected rows are in ${run.rejects}; correct them there, then run:\n  ${score}\n  ${repair}`;
}

/** The commands that score a corrected rejects file as the run did, and put its rows back. */
export function repairCommands({ values, input, address, rejects, env }: RejectsOfRun): [string, string] {
  const { output } = values;
  const corrected = `${output}.corrected`;
  const own = dialectOf({ ...values, file: nameOfContent(input) });
  const given: Readonly<Record<string, unknown>> = values;
  const defaults: Readonly<Record<string, unknown>> = resolveValues(runOptions, {});
  const flags = Object.entries<RunOption>(runOptions).flatMap(([name, option]) => {
    const value = given[camelCase(name)];
    const applies = (option.affectsOutput === true && !NOT.includes(name)) || name === 'report';
    const isDefault =
      value === undefined || textOf(option.kind, value) === textOf(option.kind, defaults[camelCase(name)]);
    return applies && !isDefault && !option.definitionOnly ? flagOf(name, option.kind, value) : [];
  });
  const service = flagsOfAddress(address, env);
  const isNamed = values.rejects !== undefined;
  return [
    ['score', rejects, ...flags, ...service, ...dialectFlags(own, rejects), '-o', corrected],
    ['repair', output, corrected, ...(isNamed ? ['--rejects', rejects] : []), ...dialectFlags(own, output)],
  ].map(words => ['rowcast', ...words].map(shellWord).join(' ')) as [string, string]; // two commands
}

type Characters = Pick<ReturnType<typeof dialectOf>, 'delimiter' | 'quote'>;

/** The flags for a file that is not read with this dialect by its name. */
function dialectFlags({ delimiter, quote }: Characters, file: string): string[] {
  const usual = dialectOf({ file: nameOfContent(file) });
  return [
    ...(delimiter === usual.delimiter ? [] : ['--delimiter', delimiter === '\t' ? 'tab' : delimiter]),
    ...(quote === usual.quote ? [] : ['--quote', quote ?? 'none']),
  ];
}

function flagOf(name: string, kind: Kind, value: unknown): string[] {
  if (kind === 'boolean') return [value === true ? `--${name}` : `--no-${name}`];
  return [`--${name}`, textOf(kind, value)];
}

/** A value as a flag takes it. */
function textOf(kind: Kind, value: unknown): string {
  if (kind === 'list' && Array.isArray(value)) return writeRow(value).slice(0, -1);
  if (kind === 'map' && typeof value === 'object' && value !== null)
    return writeRow(Object.entries(value).map(([key, item]) => `${key}=${item}`)).slice(0, -1);
  return String(value);
}
