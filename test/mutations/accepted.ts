import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import type { PredictionType } from '../../src/base/contract/predictions.ts';
import { RowcastError } from '../../src/base/errors.ts';
import { sanitize } from '../../src/base/sanitize.ts';
import type { Finished, Predicted, Refusal } from './conversions.ts';
import { mutationsOf } from './mutate.ts';

/** What became of the mutations of a file. */
export interface Tally {
  name: string;
  /** Mutations that `verify` refused. */
  refused: number;
  /** Mutations that it accepted, and rightly: they are what a run writes that gets other predictions. */
  possible: number;
  /** Mutations that it should have refused, and errors that are no difference. */
  failures: string[];
}

/** Records may end in both ways, and malformed ones have other numbers of fields. */
const LENIENT = { relax_column_count: true, record_delimiter: ['\n', '\r\n'] };

export type Mutated = 'output' | 'rejects';

/** Mutates an output, or its rejects, and verifies each mutation. */
export async function tryMutations(
  finished: Finished,
  { count, seed, mutated }: { count: number; seed: number; mutated: Mutated },
): Promise<Tally> {
  const tally: Tally = { name: `${finished.name}, ${mutated}`, refused: 0, possible: 0, failures: [] };
  const mutations = mutationsOf(finished[mutated], seed);
  for (let done = 0; done < count; done++) {
    const { bytes, what } = mutations.next().value;
    if (bytes.equals(finished[mutated])) continue;
    const files = { output: finished.output, rejects: finished.rejects, [mutated]: bytes };
    const found = await finished.verify(files.output, files.rejects).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (found === undefined) {
      const wrong = await whyImpossible(finished, files, mutated);
      if (wrong === undefined) tally.possible++;
      else tally.failures.push(`${what}: accepted, but ${wrong}`);
    } else if (isRefusal(found)) tally.refused++;
    else tally.failures.push(`${what}: ${found instanceof Error ? found.stack : String(found)}`);
  }
  return tally;
}

/** Whether a file was refused, not because of a bug. */
const isRefusal = (error: unknown): boolean => error instanceof RowcastError;

/** Why no run writes these files; undefined if one that gets the predictions of the output, and its refusals, does. */
async function whyImpossible(
  finished: Finished,
  { output, rejects }: { output: Buffer; rejects: Buffer },
  mutated: Mutated,
): Promise<string | undefined> {
  try {
    const [predicted, refused] = [await predictedIn(finished, output), refusedIn(finished, rejects)];
    const written = await finished.write(
      row => predicted.get(row),
      row => refused.get(row),
      typeIn(finished, output),
    );
    const [is, should] = mutated === 'output' ? [output, written.output] : [rejects, written.rejects];
    if (is.equals(should)) return undefined;
    const at = [...is].findIndex((byte, index) => byte !== should[index]);
    const near = (bytes: Buffer): string =>
      JSON.stringify(bytes.toString('latin1', Math.max(0, at - 30), at + 20));
    return `a run writes ${near(should)}, not ${near(is)}`;
  } catch (error) {
    return `it cannot be read: ${error}`;
  }
}

/** What is predicted, as the header of a CSV tells it: nothing else tells `verify` the names of several numbers. */
function typeIn({ kind: { type }, to }: Finished, output: Buffer): PredictionType {
  if (type.kind !== 'numbers' || type.names.length === 0 || to !== 'csv') return type;
  const [header = []] = parse(output, { to: 1, ...LENIENT }) as string[][];
  return { kind: 'numbers', names: header.slice(-2).map(name => name.replace(/^probability_/, '')) };
}

/** The predictions of an output by the numbers of rows, read by other libraries than rowcast's readers. */
async function predictedIn({ kind, to, rows }: Finished, output: Buffer): Promise<Map<number, Predicted>> {
  const width = kind.predict(1).length + (kind.options.prediction === true ? 1 : 0);
  const records = await recordsOf(output, to);
  const found = new Map<number, Predicted>();
  for (const [index, values] of records.entries()) {
    const own = values.slice(values.length - width).slice(0, kind.predict(1).length);
    const isMissing = own.some(value => value === null || value === '' || value === undefined);
    const row = rows[index];
    if (row === undefined) throw new Error('there are more rows');
    if (!isMissing) found.set(row, kind.type.kind === 'label' ? own.map(String) : own.map(Number));
  }
  return found;
}

async function recordsOf(output: Buffer, format: Finished['to']): Promise<unknown[][]> {
  if (format === 'csv') return parse(output, { from: 2, skip_empty_lines: true, ...LENIENT });
  if (format === 'jsonl')
    return output
      .toString()
      .split('\n')
      .filter(line => line !== '')
      .map(line => Object.values(JSON.parse(line)));
  const { buffer, byteOffset, length } = output;
  const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer; // of a buffer that is not shared
  return (await parquetReadObjects({ file })).map(row => Object.values(row));
}

function refusedIn({ rejectsFormat }: Finished, rejects: Buffer): Map<number, Refusal> {
  const read: [row: unknown, code: unknown, reason: unknown][] =
    rejectsFormat === 'csv'
      ? parse(rejects, { from: 2, ...LENIENT }).map((fields: string[]) => [fields[0], fields[2], fields[3]])
      : rejects
          .toString()
          .split('\n')
          .filter(line => line !== '')
          .map(line => JSON.parse(line))
          .map(object => [object.reject_row, object.reject_code, object.reject_reason]);
  return new Map(
    read.map(([row, code, reason]) => {
      const [ownCode, message] = [String(code), String(reason)];
      if (sanitize(message) !== message) throw new Error('no message of a service is like this reason');
      return [Number(row), { code: ownCode, message }];
    }),
  );
}
