import { text as textOf } from 'node:stream/consumers';
import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import {
  type Description,
  type Features,
  features as featuresShape,
  type Value,
  value as valueShape,
} from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { jsonValue } from '../../base/json-value.ts';
import { inputOptions, personaFormatOption } from '../../base/options/input.ts';
import { appendedOptions } from '../../base/options/output.ts';
import { callOptions, outageOptions, reportOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { encodeValue } from '../../formats/json/write-bytes.ts';
import { reportOf } from '../../library/runs-of.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { definedBy } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';
import { retryLines } from '../retry-lines.ts';
import { printJson } from '../terminal/print.ts';

/**
 * Scores one persona, given as NAME=VALUE arguments or as JSON on stdin, or each of JSON lines; prints each prediction
 * as a line of JSON.
 */
export async function run(given: Context): Promise<number> {
  const context = await definedBy(given, options);
  const values = resolveValues(options, context.flags, context.defined);
  const { protocol, timeout, types, inputFormat } = values;
  const id = reportOf(values);
  const named = (context.flags.features ?? []) as string[]; // a repeated argument
  const isPairs = named.length > 0 && named.join() !== '-';
  if (isPairs && inputFormat !== undefined)
    throw new RowcastError('usage', '--input-format is of stdin, but NAME=VALUE arguments are given');
  const personas = isPairs ? undefined : readPersonas(await textOf(process.stdin), inputFormat === 'jsonl');
  const print = (answer: object): Promise<void> => printJson({ id, ...answer });
  if (protocol !== defaultProtocol) {
    // Loaded only when it is needed.
    const { withFeaturesClient } = await import('../../library/scorers/predict-batches.ts');
    const options = { ...context, onRetry: retryLines(context.log) };
    await withFeaturesClient(options, values, async client => {
      for (const features of personas ?? [readPairs(named, await client.describe(id), types)])
        await print(await client.predictOne(id, features, new AbortController().signal));
    });
    return ExitCode.done;
  }
  const unused = ['classes', 'types'].find(name => context.flags[name] !== undefined);
  if (unused !== undefined)
    throw new RowcastError('usage', `--${unused} has no effect with the protocol ${protocol}`);
  await withServiceOf(context, { command: 'predict', timeout }, async service => {
    for (const features of personas ?? [readPairs(named, await service.report(id), types)]) {
      const { warnings, ...predicted } = await service.persona(id, features);
      await print({ ...predicted, ...(warnings.length > 0 && { warnings }) });
    }
  });
  return ExitCode.done;
}

const options = {
  ...reportOption,
  ...callOptions,
  custom: outageOptions.custom,
  classes: appendedOptions.classes,
  types: inputOptions.types,
  ...personaFormatOption,
};

/**
 * Parses NAME=VALUE pairs to features; values are encoded as `score` would encode the field of a CSV.
 *
 * @throws RowcastError `usage`
 */
function readPairs(
  pairs: readonly string[],
  report: Description,
  own: Readonly<Record<string, string>> = {},
): Features {
  const types = new Map(report.columns?.map(({ name, type }) => [name, own[name] ?? type]));
  const features = pairs.map((pair): [string, Value] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new RowcastError('usage', `"${pair}" is not NAME=VALUE`);
    const [name, field] = [pair.slice(0, at), pair.slice(at + 1)];
    if (types.size > 0 && !types.has(name)) throw unknownColumn(name, [...types.keys()]);
    return [name, field === '' ? null : JSON.parse(encodeValue(field, types.get(name) ?? own[name]))];
  });
  return Object.fromEntries(features);
}

function unknownColumn(name: string, columns: readonly string[]): RowcastError {
  const near = suggestNames(name, columns).map(column => JSON.stringify(column));
  const question = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  return new RowcastError('usage', `the report has no column "${name}"`, {
    hint: sanitize(`${question}It has: ${columns.join(', ')}.`),
  });
}

/**
 * Parses the personas on stdin: one as JSON, or one on each line.
 *
 * @throws RowcastError `usage`
 */
function readPersonas(text: string, isLines: boolean): Features[] {
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, at: index + 1 }]));
  const whole = isLines ? undefined : jsonValue(text);
  if (whole !== undefined) return [featuresIn(whole, 'the JSON on stdin')];
  // An object over several lines that is wrong is no JSON lines.
  if (lines.length === 0 || (!isLines && !lines.every(({ line }) => /^\s*\{.*\}\s*$/.test(line))))
    throw notJson('stdin');
  return lines.map(({ line, at }) => {
    const value = jsonValue(line);
    if (value === undefined) throw notJson(`line ${at} of stdin`);
    return featuresIn(value, `line ${at} of stdin`);
  });
}

const notJson = (what: string): RowcastError =>
  new RowcastError('usage', `${what} is not valid JSON`, {
    hint: 'Give NAME=VALUE …, or {"features": {…}} on stdin, or such an object on each line.',
  });

/** A persona: an object of features, or an object with the member `features`. */
function featuresIn(value: unknown, what: string): Features {
  const given = Object(value).features ?? value;
  // The schema leaves out a member called __proto__.
  const members = featuresShape.safeParse(given).success ? Object.values(given) : [undefined];
  if (valueShape.array().safeParse(members).success) return given;
  throw new RowcastError(
    'usage',
    `${what} is not a persona: an object whose values are strings, numbers, booleans or null`,
  );
}
