import type { Description, Features, Value } from '../../base/contract/schemas.ts';
import { features as featuresShape } from '../../base/contract/schemas.ts';
import { usualProtocol } from '../../base/contract/usual-protocol.ts';
import { RowcastError } from '../../base/errors.ts';
import { inputOptions } from '../../base/options/input.ts';
import { appendedOptions } from '../../base/options/output.ts';
import { outageOptions, protocolOption, reportOption, timeoutOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { encodeValue } from '../../formats/json/encode-value.ts';
import { reportOf } from '../../library/runs-of.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { definedBy } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';
import { printText } from '../terminal/print.ts';

/** Scores one persona, given as NAME=VALUE arguments or as JSON on stdin; prints the prediction as a line of JSON. */
export async function run(context: Context): Promise<number> {
  const defined = await definedBy(context);
  const { protocol, custom, timeout, classes, types, ...chosen } = resolveValues(
    options,
    context.flags,
    defined,
  );
  const id = reportOf(chosen);
  const named = (context.flags.features ?? []) as string[]; // a repeated argument
  const given = named.length > 0 ? undefined : readJson(await readAll(process.stdin));
  const featuresFor = (report: Description): Features => given ?? readPairs(named, report, types);
  if (protocol !== usualProtocol) {
    const { predictByProtocol } = await import('../predict-by-protocol.ts');
    const answer = await predictByProtocol(
      context,
      { report: id, protocol, custom, timeout, classes, types, defined },
      featuresFor,
    );
    await printText(`${JSON.stringify({ id, ...answer })}\n`);
    return ExitCode.done;
  }
  const unused = ['classes', 'types'].find(name => context.flags[name] !== undefined);
  if (unused !== undefined)
    throw new RowcastError('usage', `--${unused} has no effect with the protocol ${protocol}`);
  const { probabilities, warnings } = await withServiceOf(
    context,
    { command: 'predict', timeout, defined },
    async service => {
      const features = featuresFor(given === undefined ? await service.report(id) : {});
      return service.persona(id, features);
    },
  );
  const answer = { id, probabilities, ...(warnings.length > 0 && { warnings }) };
  await printText(`${JSON.stringify(answer)}\n`);
  return ExitCode.done;
}

const options = {
  ...reportOption,
  ...protocolOption,
  ...timeoutOption,
  custom: outageOptions.custom,
  classes: appendedOptions.classes,
  types: inputOptions.types,
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

/** Parses a persona: an object of features, or an object with the member `features`. */
function readJson(text: string): Features {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new RowcastError('usage', 'stdin is not valid JSON', {
      cause,
      hint: 'Give NAME=VALUE …, or {"features": {…}} on stdin.',
    });
  }
  const checked = featuresShape.safeParse(Object(parsed).features ?? parsed);
  if (checked.success) return checked.data;
  throw new RowcastError(
    'usage',
    'the JSON on stdin is not a persona: an object whose values are strings, numbers, booleans or null',
  );
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
