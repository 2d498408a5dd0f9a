import { parseArgs } from 'node:util';
import { tables } from './tables.ts';

export const usage = `npm run bench -- local [options]: scoring with a local report, next to polars + LightGBM and pandas + scikit-learn

  --parts LIST    of score, row, service (default: all)
  --inputs LIST   of ${[...tables.keys()].join(', ')} (default: all)
  --rows LIST     (default: 300000,3000000 for telecom, 300000 for the others)
  --forms LIST    of plain, gzip, parquet, jsonl: of both input and output (default: all); jsonl next to a CSV of the same rows
  --runs N        medians of so many (default: 5)
  --rounds N      a model of N rounds of trees instead of what rowcast train selects
  --leaves N      of each of those trees (default: 31)
`;

const parts = ['score', 'row', 'service'] as const;
const forms = ['plain', 'gzip', 'parquet', 'jsonl'] as const;

export type Form = (typeof forms)[number];

export interface Choices {
  parts: readonly (typeof parts)[number][];
  inputs: readonly string[];
  rowsOf: (input: string) => readonly number[];
  forms: readonly Form[];
  runs: number;
  /** Undefined: the model that `rowcast train` selects. */
  trees: { rounds: number; leaves: number } | undefined;
}

export class UsageError extends Error {}

/** @throws UsageError that says which word is wrong */
export function choicesOf(words: string[]): Choices {
  const values = parsed(words);
  const rows = values.rows?.split(',').map(word => numberOf('rows', word));
  return {
    parts: listed('parts', values.parts, parts),
    inputs: listed('inputs', values.inputs, [...tables.keys()]),
    rowsOf: input => rows ?? (input === 'telecom' ? [300_000, 3_000_000] : [300_000]),
    forms: listed('forms', values.forms, forms),
    runs: numberOf('runs', values.runs ?? '5'),
    trees:
      values.rounds === undefined
        ? undefined
        : { rounds: numberOf('rounds', values.rounds), leaves: numberOf('leaves', values.leaves ?? '31') },
  };
}

function parsed(words: string[]) {
  const text = { type: 'string' } as const;
  const options = {
    parts: text,
    inputs: text,
    rows: text,
    forms: text,
    runs: text,
    rounds: text,
    leaves: text,
  };
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function listed<Word extends string>(
  option: string,
  value: string | undefined,
  known: readonly Word[],
): readonly Word[] {
  if (value === undefined) return known;
  const words = value.split(',');
  const unknown = words.find(word => !known.some(each => each === word));
  if (unknown !== undefined) throw new UsageError(`--${option}: "${unknown}" is none of ${known.join(', ')}`);
  return known.filter(word => words.includes(word));
}

function numberOf(option: string, word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  throw new UsageError(`--${option}: "${word}" is not a positive whole number`);
}
