import type { PredictionType } from '../base/contract/predictions.ts';
import type { Kind, RunOption } from '../base/options/option.ts';
import { runOptions } from '../base/options/score.ts';
import { camelCase, resolveValues, type Values } from '../base/options/values/resolve-options.ts';
import { shapeOptions } from '../base/options/verify.ts';
import { schemeOf } from '../base/scheme.ts';
import { commandOf } from '../base/shell-word.ts';
import { writeRow } from '../base/write-row.ts';
import { readAsOf } from '../formats/formats.ts';
import type { ReadAs } from '../formats/read-options.ts';
import { type Address, type Environment, flagsOfAddress } from '../library/service/choose-service.ts';
import { formatOfName, writtenFile } from '../runs/output/written-file.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';

/**
 * Options that apply to the whole input, or to a file that is another one now: a rejects file is UTF-8 with a header.
 */
const NOT_REPEATED: readonly string[] = ['limit', 'names', 'skip-lines', 'encoding', 'output-header'];
/** Options for columns and groups of Parquet: its rejects have other columns, and what is made of them is a CSV. */
const OF_PARQUET: readonly string[] = ['keep', 'rename', 'group-rows', 'output-format'];
/** Options that affect no output, but both commands may need them to read and write what the run did. */
const OF_FILES: readonly string[] = ['max-record-bytes', 'private'];
/** What decides the columns of the output, which `repair` cannot see in it. */
const OF_SHAPE: readonly string[] = Object.keys(shapeOptions);

export interface RejectsOfRun {
  values: Values<typeof runOptions>;
  /** A path, or `-` for stdin. */
  input: string;
  address: Address;
  /** The path of the rejects file. */
  rejects: string;
  env: Environment;
  /** What each prediction of the run consists of, if that is known. */
  prediction?: PredictionType | null | undefined;
  /** The name of the input's format, if it is known otherwise than by its name. */
  format?: string | undefined;
  /** Whether the input is a rejects file itself, whose rows were corrected. */
  isAgain?: boolean;
}

/** The last message of a run with rejects: where they are, and what to do. */
export function describeRejects(run: RejectsOfRun): string {
  const { rejects, values, input } = run;
  // Its rows are known by their numbers in the first rejects file, which repair reads.
  if (run.isAgain)
    return `the rows that were rejected again are in ${rejects}, with the reasons; correct them in ${input === '-' ? 'the input' : input} and run the same command again, before or after rowcast repair puts the other rows into their places`;
  const why = whyNotRepaired(run);
  if (why !== undefined)
    return `the rejected rows are in ${rejects}; correct them in the input and score it again, or score the corrected rows into a file of their own: ${why} cannot be repaired`;
  const stored = [rejects, values.output].filter(schemeOf);
  const [score, repair] = repairCommands(stored.length === 0 ? run : here(run));
  const first =
    stored.length === 0
      ? 'correct them there'
      : `repair needs local files: copy ${stored.join(' and ')} here, correct the rows`;
  return `the rejected rows are in ${rejects}; ${first}, then run:\n  ${score}\n  ${repair}`;
}

/** The run as if it had written the local copies of its output and rejects, without what made its predictions. */
function here(run: RejectsOfRun): RejectsOfRun {
  const { rejects } = run;
  const { reuse: _, ...values } = run.values;
  const nameOf = (name: string): string =>
    schemeOf(name) !== undefined ? `./${name.slice(name.lastIndexOf('/') + 1)}` : name;
  return {
    ...run,
    rejects: nameOf(rejects),
    values: {
      ...values,
      output: nameOf(values.output),
      ...(values.rejects !== undefined && { rejects: nameOf(rejects) }),
    },
  };
}

/** The commands that score a corrected rejects file as the run did, and put its rows back. */
export function repairCommands(run: RejectsOfRun): [string, string] {
  const { values, input, address, rejects, env, prediction } = run;
  const { output } = values;
  const corrected = `${output}.corrected`;
  const own = readAsOf(values, nameOfContent(input));
  const isParquet = formatsOf(run).to === 'parquet';
  const left = isParquet ? [...NOT_REPEATED, ...OF_PARQUET] : NOT_REPEATED;
  // Then the repaired output can be reused, too.
  const reuse = values.reuse !== undefined && !isParquet ? ['--reuse', output] : [];
  const scoring = flagsWhere(
    values,
    ([name, option]) =>
      (option.affectsOutput === true && !left.includes(name)) ||
      name === 'report' ||
      name === 'protocol' ||
      (name === 'reuse-max-age' && reuse.length > 0) ||
      OF_FILES.includes(name),
  );
  const shape = flagsWhere(
    values,
    ([name]) => OF_SHAPE.includes(name) || OF_FILES.includes(name) || (isParquet && name === 'nulls'),
  );
  const service = flagsOfAddress(address, env);
  const named = values.rejects !== undefined ? ['--rejects', rejects] : [];
  return [
    ['score', rejects, ...scoring, ...service, ...readFlags(own, rejects), ...reuse, '-o', corrected],
    ['repair', output, corrected, ...named, ...shape, ...kindFlag(prediction), ...readFlags(own, output)],
  ].map(([command = '', ...words]) => commandOf(command, words)) as [string, string]; // two commands
}

/** Why `repair` would refuse the output, as names and options tell; undefined if it would not. */
function whyNotRepaired(run: RejectsOfRun): string | undefined {
  const { from, to } = formatsOf(run);
  // The rejects of Parquet are read with it.
  if (from === 'jsonl' ? to !== 'jsonl' : from === 'csv' && to === 'jsonl')
    return 'an output of another format than its rejects';
  if (lacksColumns(run)) return 'Parquet that lacks columns';
  return from === 'csv' && to === 'parquet' && !hasCommas(run)
    ? 'Parquet of a CSV without commas, or with other quotes,'
    : undefined;
}

function hasCommas({ values, input }: RejectsOfRun): boolean {
  const { delimiter, quote, escape: escaper } = readAsOf(values, nameOfContent(input));
  return delimiter === ',' && quote === '"' && escaper === undefined;
}

function formatsOf({ values, input, format }: RejectsOfRun): { from: string; to: string } {
  const { inputFormat } = values;
  const named = formatOfName(inputFormat === undefined ? nameOfContent(input) : `.${inputFormat}`);
  const from = format ?? named ?? 'csv';
  return { from, to: writtenFile(values).format ?? from };
}

/** Whether a Parquet output may lack columns that its rejects have: those of a text have all of its input. */
function lacksColumns(run: RejectsOfRun): boolean {
  const { keep = 'all', features } = run.values;
  const { from, to } = formatsOf(run);
  if (keep === 'all' || to !== 'parquet') return false;
  return !(from === 'parquet' && Array.isArray(features) && features.every(name => keep.includes(name)));
}

/** What `repair` needs to be told where the columns alone do not tell it. */
function kindFlag(prediction: RejectsOfRun['prediction']): string[] {
  const isTold =
    prediction?.kind === 'label' || (prediction?.kind === 'numbers' && prediction.names.length > 0);
  return isTold ? ['--kind', prediction.kind] : [];
}

/** The flags of the options that a run had, but for those that had their default. */
function flagsWhere(
  values: RejectsOfRun['values'],
  isWanted: (entry: [name: string, option: RunOption]) => boolean,
): string[] {
  const given: Readonly<Record<string, unknown>> = values;
  const defaults: Readonly<Record<string, unknown>> = resolveValues(runOptions, {});
  return Object.entries<RunOption>(runOptions)
    .filter(entry => isWanted(entry) && !entry[1].definitionOnly)
    .flatMap(([name, { kind }]) => {
      const value = given[camelCase(name)];
      const isDefault = textOf(kind, value) === textOf(kind, defaults[camelCase(name)]);
      return value === undefined || isDefault ? [] : flagOf(name, kind, value);
    });
}

/** The flags for a file that is not read like this by its name. */
function readFlags(own: ReadAs, file: string): string[] {
  const defaults: Readonly<Record<string, unknown>> = readAsOf({}, nameOfContent(file));
  return Object.entries(own).flatMap(([name, value]) =>
    value === defaults[name] ? [] : [`--${name}`, value === '\t' ? 'tab' : String(value)],
  );
}

function flagOf(name: string, kind: Kind, value: unknown): string[] {
  if (kind === 'boolean') return [value === true ? `--${name}` : `--no-${name}`];
  return [`--${name}`, textOf(kind, value)];
}

/** A value as a flag takes it. */
function textOf(kind: Kind, value: unknown): string {
  // A list, or a selection that is one.
  if (Array.isArray(value)) return writeRow(value).slice(0, -1);
  if ((kind === 'map' || kind === 'numbers') && typeof value === 'object' && value !== null)
    return writeRow(Object.entries(value).map(([key, item]) => `${key}=${item}`)).slice(0, -1);
  return String(value);
}
