import type { Option } from './option.ts';

/** The input, as an argument or a key of `score`. */
export const inputPositional = {
  kind: 'path',
  describe: 'CSV of personas; - is stdin',
  default: '-',
} as const satisfies Option;

/** The inputs of a run. */
export const inputsPositional = {
  kind: 'path',
  describe:
    "CSV of personas; - is stdin; several files and quoted patterns ('in/**/*.csv.gz') are scored one by one",
  default: '-',
  repeatable: true,
} as const satisfies Option;

/** The training data, as an argument or a key of `train`. */
export const historyPositional = {
  kind: 'path',
  describe: "labelled rows; - is stdin; several files and quoted patterns ('in/part-*.csv') are read as one",
  repeatable: true,
} as const satisfies Option;
