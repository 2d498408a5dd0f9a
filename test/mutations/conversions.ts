import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Predictions, PredictionType } from '../../src/base/contract/predictions.ts';
import type { RunValues } from '../../src/base/options/values/run-values.ts';
import { type VerifyOutputOptions, verifyOutput } from '../../src/runs/verify/verify.ts';
import type { Scorer } from '../../src/scoring/scorer.ts';
import { parquetOf } from '../support/parquet.ts';
import { job } from '../support/scoring/job.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';

export const formats = ['csv', 'jsonl', 'parquet'] as const;
export type FormatName = (typeof formats)[number];

/** What is predicted for a row, by its number: undefined if the row is rejected. */
export type Predicted = readonly (number | string)[];

/** A kind of prediction, as a run has it. */
export interface Kind {
  name: string;
  type: PredictionType;
  options: Partial<RunValues>;
  predict(row: number): Predicted;
}

/** Why a row is rejected by the service. */
export interface Refusal {
  code: string;
  message: string;
}

const CLASSES = ['no', 'may,be', 'yes'];
const LABELS = ['no', 'may,be', 'say "yes"', '0.5', 'é'];
const third = (row: number): Predicted => {
  const [no, maybe] = [(row % 16) / 32, ((row * 7) % 16) / 64];
  return [no, maybe, 1 - no - maybe];
};

export const kinds: readonly Kind[] = [
  { name: 'distribution', type: { kind: 'distribution', classes: CLASSES }, options: {}, predict: third },
  {
    name: 'distribution and prediction',
    type: { kind: 'distribution', classes: CLASSES },
    options: { prediction: true },
    predict: third,
  },
  {
    name: 'label',
    type: { kind: 'label' },
    options: {},
    predict: row => [LABELS[row % LABELS.length] ?? ''],
  },
  {
    name: 'number',
    type: { kind: 'numbers', names: [] },
    options: {},
    predict: row => [[0.1 + 0.2, -12, 1e21, 5e-324, row][row % 5] ?? 0],
  },
  {
    name: 'numbers',
    type: { kind: 'numbers', names: ['high', 'low'] },
    options: {},
    predict: row => [row + 0.25, -row / 3],
  },
];

const ROWS = 24;
const REFUSED: Refusal = { code: 'bad_row', message: 'the service says "no", and why' };
/** Rows that the service rejects, by their numbers from 1. */
const refusals: ReadonlyMap<number, Refusal> = new Map([
  [4, REFUSED],
  [15, { code: 'wrong_type', message: 'the value of column "amount" is not a number' }],
]);

interface InputRow {
  id: string;
  name: string;
  amount: string;
  isActive: boolean;
}

const rowOf = (row: number): InputRow => ({
  id: String(row),
  name: ['Ann', 'O, "B"', 'Zoë', 'two\nlines', ' x '][row % 5] ?? '',
  amount: row % 7 === 3 ? '' : String(row * 1.5 - 3),
  isActive: row % 3 === 0,
});

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const rowNumbers = Array.from({ length: ROWS }, (_, index) => index + 1);

function csvText(isSound: boolean): string {
  const records = rowNumbers.map(row => {
    const { id, name, amount, isActive } = rowOf(row);
    if (!isSound && row === 9) return `${id},too few\n`;
    return `${id},${quoted(name)},${amount},${isActive}${row % 8 === 5 && !isSound ? '\r\n\n' : '\n'}`;
  });
  return `id,name,amount,active\n${records.join('')}`;
}

function linesText(): string {
  return rowNumbers
    .map(row => {
      const { id, name, amount, isActive } = rowOf(row);
      if (row === 9) return '{"id": 9, no object\n';
      const number = amount === '' ? 'null' : amount;
      return `{"id":${id}, "name":${JSON.stringify(name)},"amount":${number},"active":${isActive}}\n${row % 8 === 5 ? '\n' : ''}`;
    })
    .join('');
}

async function inputOf(format: FormatName): Promise<string | Buffer> {
  if (format === 'csv') return csvText(false);
  if (format === 'jsonl') return linesText();
  return parquetOf(csvText(true), { groupRows: 10, numbers: ['id', 'amount'] });
}

/** A scorer that predicts for rows by their numbers, which are their first values. */
const numberScorer = (
  type: PredictionType,
  predictedOf: (row: number) => Predicted | Refusal | undefined,
): Scorer =>
  rowScorer(
    rows =>
      predictionsOf(
        type,
        rows.map(([id]) => predictedOf(Number(id))),
      ),
    {
      predicts: 'plan',
      ...(type.kind === 'distribution' ? { classes: [...type.classes] } : { predictionType: type }),
    },
  );

function predictionsOf(
  type: PredictionType,
  rows: readonly (Predicted | Refusal | undefined)[],
): Predictions {
  const errors = new Map<number, Refusal>();
  for (const [index, row] of rows.entries())
    if (row === undefined || 'code' in row) errors.set(index, row ?? REFUSED);
  const width =
    type.kind === 'label' ? 1 : Math.max(1, (type.kind === 'numbers' ? type.names : type.classes).length);
  const valuesOf = (row: Predicted | Refusal | undefined): (number | string)[] =>
    row === undefined || 'code' in row ? Array.from({ length: width }, () => Number.NaN) : [...row];
  const numbers = (): Float64Array => Float64Array.from(rows.flatMap(valuesOf).map(Number));
  switch (type.kind) {
    case 'distribution':
      return { kind: 'distribution', classes: type.classes, probabilities: numbers(), errors };
    case 'numbers':
      return { kind: 'numbers', names: type.names, values: numbers(), errors };
    case 'label': {
      const labels = [
        ...new Set(rows.flatMap(row => (row === undefined || 'code' in row ? [] : String(row[0])))),
      ];
      const indices = Int32Array.from(rows, row =>
        row === undefined || 'code' in row ? -1 : labels.indexOf(String(row[0])),
      );
      return { kind: 'label', labels, indices, errors };
    }
  }
}

/** An input, the output that a run has made of it, and its rejects. */
export interface Finished {
  name: string;
  kind: Kind;
  to: FormatName;
  /** Whether rejects are a CSV or JSON lines. */
  rejectsFormat: 'csv' | 'jsonl';
  /** The numbers of the rows that are in the output, in order. */
  rows: readonly number[];
  output: Buffer;
  rejects: Buffer;
  /** Verifies files as if the run had written them. */
  verify(output: Buffer, rejects?: Buffer): Promise<void>;
  /** Writes what a run writes that gets these predictions and refusals, by the numbers of rows. */
  write(
    predictedOf: (row: number) => Predicted | undefined,
    refusalOf?: (row: number) => Refusal | undefined,
    type?: PredictionType,
  ): Promise<{ output: Buffer; rejects: Buffer }>;
}

/** Makes an output of an input of another format, or of the same one. */
export async function convert(
  folder: string,
  from: FormatName,
  to: FormatName,
  kind: Kind,
): Promise<Finished> {
  const input = join(folder, `in.${from}`);
  await writeFile(input, await inputOf(from));
  const nameOf = (what: string): string => join(folder, `${what}-${from}.${to}`);
  const types = { id: 'numerical', amount: 'numerical' };
  const options = { features: ['id', 'name', 'amount'], types, groupRows: 10, ...kind.options };
  const write: Finished['write'] = async (
    predictedOf,
    refusalOf = row => refusals.get(row),
    type = kind.type,
  ) => {
    const output = nameOf('written');
    const values = job({ input, output, ...options, restart: true });
    await score(
      values,
      numberScorer(type, row => refusalOf(row) ?? predictedOf(row)),
    );
    return {
      output: await readFile(output),
      rejects: await readFile(`${output}.rejects`).catch(() => Buffer.alloc(0)),
    };
  };
  const first = await write(kind.predict);
  const checked = nameOf('changed');
  const known: Partial<VerifyOutputOptions> = {
    kind: kind.type.kind,
    predict: 'plan',
    ...(kind.type.kind === 'distribution' && { classes: kind.type.classes }),
  };
  const finished: Finished = {
    name: `${from} → ${to}, ${kind.name}`,
    kind,
    to,
    rejectsFormat: from === 'jsonl' || (from === 'parquet' && to === 'jsonl') ? 'jsonl' : 'csv',
    rows: rowNumbers.filter(row => from === 'parquet' || row !== 9),
    ...first,
    async verify(output, rejects = first.rejects) {
      await writeFile(checked, output);
      await writeFile(`${checked}.rejects`, rejects);
      await verifyOutput({
        input,
        output: checked,
        rejects: `${checked}.rejects`,
        maxRecordBytes: 1 << 20,
        ...known,
      });
    },
    write,
  };
  await finished.verify(first.output);
  return finished;
}
