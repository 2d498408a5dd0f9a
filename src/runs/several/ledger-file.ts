import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import type { LastRun } from '../summary/last-run.ts';
import { lastRunShape } from '../summary/last-run.ts';

/** The name of the ledger in the folder of the outputs. */
export const LEDGER = '.rowcast-runs.json';

const optionsShape = z.record(z.string(), z.string());

const versionShape = z.object({ size: z.number(), modified: z.number(), etag: z.string().optional() });

/** A finished run: what it read, what it wrote and how. */
const finishedRun = z.object({
  run_id: z.string(),
  input: versionShape.extend({ path: z.string() }),
  output: versionShape,
  /** Size and time of the rejects file; null if the run wrote none. */
  rejects: versionShape.extend({ path: z.string() }).nullable(),
  /** Service, report and options, whatever affects the output. */
  options: optionsShape,
  exit_code: z.number(),
  rows: z.object({ read: z.number(), rejected: z.number() }),
  /** As in the summary of the run; not there if it is not known. */
  digest: z.string().optional(),
  started_at: z.string().optional(),
  finished_at: z.string(),
});
export type FinishedRun = z.infer<typeof finishedRun>;

/** An output that a command was to write and has not. */
const unfinishedRun = z.object({
  /** Path of the input. */
  input: z.string(),
  /** Why the input was not scored; null if its turn has not come. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** In milliseconds, as times of files are. */
  since: z.number(),
});
export type UnfinishedRun = z.infer<typeof unfinishedRun>;

/** Why the files of a command are together no good run, although each of them may be finished. */
const refusedTotal = z.object({ code: z.string(), message: z.string() });
export type RefusedTotal = z.infer<typeof refusedTotal>;

/** Incremented when an earlier version cannot read it. In the first format, each run had its options. */
const FORMAT = 2;

/** Paths are relative to the folder of the ledger. */
const ledgerShape = z.object({
  format: z.literal([1, FORMAT]),
  /** By output; the options are a number in `options`, since those of most runs are the same. */
  runs: z.record(z.string(), finishedRun.extend({ options: z.union([z.number(), optionsShape]) })),
  options: z.array(optionsShape).default([]),
  unfinished: z.record(z.string(), unfinishedRun),
  /** The last good run of each command or definition, by the output as that has written it: a path or a pattern. */
  last: z.record(z.string(), lastRunShape).default({}),
  /** By the pattern of the outputs; until all of them are a good run. */
  refused: z.record(z.string(), refusedTotal).default({}),
});
export type LedgerContent = Pick<z.infer<typeof ledgerShape>, 'unfinished' | 'refused'> & {
  runs: Record<string, FinishedRun>;
  last: Readonly<Record<string, LastRun>>;
};

export const emptyLedger: LedgerContent = { runs: {}, unfinished: {}, last: {}, refused: {} };

/** Those of the most recent commands are kept. */
const MAX_LAST = 1000;

/** What is not written yet. */
export interface LedgerNews {
  /** By output: a run has finished it, or it is still to be written, or neither any more. */
  outputs: Record<string, { finished?: FinishedRun; unfinished?: UnfinishedRun }>;
  /** The last good runs of commands, by the output as the command has written it. */
  last: Record<string, LastRun>;
  /** By pattern of outputs, what has become of them together; undefined if nothing is wrong with that. */
  refused: Record<string, RefusedTotal | undefined>;
}

/**
 * @param path for messages
 * @param bytes undefined if there is no ledger
 * @throws RowcastError `bad_ledger`
 */
export function readLedgerBytes(path: string, bytes: Buffer | undefined): LedgerContent {
  if (bytes === undefined) return emptyLedger;
  try {
    const { runs, unfinished, last, refused, options } = ledgerShape.parse(JSON.parse(bytes.toString()));
    const shared = sharedOptions(options);
    for (const run of Object.values(runs)) run.options = shared(run.options);
    return { runs: runs as LedgerContent['runs'], unfinished, last, refused }; // the options of all are there
  } catch (cause) {
    const isOther =
      cause instanceof z.ZodError && cause.issues.some(({ path: [member] }) => member === 'format');
    throw badLedger(
      path,
      cause,
      isOther ? `is not of format ${FORMAT}, which this version reads` : undefined,
    );
  }
}

/** A ledger that is about to be written: what is damaged is replaced. */
export function readOrReplace(path: string, bytes: Buffer | undefined): LedgerContent {
  try {
    return readLedgerBytes(path, bytes);
  } catch {
    return emptyLedger;
  }
}

/** A ledger with what is new. */
export function withNews(content: LedgerContent, news: LedgerNews): LedgerContent {
  const [runs, unfinished] = [{ ...content.runs }, { ...content.unfinished }];
  for (const [output, now] of Object.entries(news.outputs)) {
    if (now.finished !== undefined) runs[output] = now.finished;
    if (now.unfinished !== undefined) unfinished[output] = now.unfinished;
    else delete unfinished[output];
  }
  const refused = Object.entries({ ...content.refused, ...news.refused }).flatMap(([pattern, total]) =>
    total === undefined ? [] : [[pattern, total] as const],
  );
  return { runs, unfinished, last: withLast(content.last, news.last), refused: Object.fromEntries(refused) };
}

function withLast(known: LedgerContent['last'], news: LedgerContent['last']): LedgerContent['last'] {
  if (Object.keys(news).length === 0) return known;
  const others = Object.entries(known)
    .filter(([name]) => news[name] === undefined)
    .sort(([, a], [, b]) => (a.finished_at < b.finished_at ? 1 : -1));
  return Object.fromEntries([...Object.entries(news), ...others].slice(0, MAX_LAST));
}

/** The options that a number stands for, or one object for all that are equal: those of thousands of runs are. */
function sharedOptions(
  listed: readonly FinishedRun['options'][],
): (options: number | FinishedRun['options']) => FinishedRun['options'] {
  const known = new Map<string, FinishedRun['options']>();
  return options => {
    if (typeof options === 'number') {
      const found = listed[options];
      if (found === undefined) throw new Error(`it has no options ${options}`);
      return found;
    }
    const key = JSON.stringify(options);
    const same = known.get(key) ?? options;
    known.set(key, same);
    return same;
  };
}

/** What becomes bytes at once. */
const PART_LENGTH = 1 << 16;

/**
 * The ledger as JSON, a line for each output: made in parts, since a string of all would take as much memory again.
 *
 * @param about the size that it may have, in bytes, so that its memory is not made twice
 */
export function ledgerBytes({ runs, unfinished, last, refused }: LedgerContent, about = 0): Buffer {
  let bytes = Buffer.allocUnsafe(about + (about >> 3) + 2 * PART_LENGTH);
  let [size, part] = [0, ''];
  const addPart = (): void => {
    const needed = size + Buffer.byteLength(part);
    if (needed > bytes.length) bytes = Buffer.concat([bytes.subarray(0, size)], needed + (needed >> 1));
    size += bytes.write(part, size);
    part = '';
  };
  const add = (text: string): void => {
    part += text;
    if (part.length >= PART_LENGTH) addPart();
  };
  const numbers = new Map<string, number>();
  const numberOf = (options: FinishedRun['options']): number => {
    const text = JSON.stringify(options);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const addAll = <T>(member: string, of: Readonly<Record<string, T>>, shown: (value: T) => unknown): void => {
    add(`"${member}":{`);
    let separator = '\n';
    for (const [name, value] of Object.entries(of)) {
      add(`${separator}${JSON.stringify(name)}:${JSON.stringify(shown(value))}`);
      separator = ',\n';
    }
    add('},\n');
  };
  add(`{"format":${FORMAT},\n`);
  addAll('runs', runs, run => ({ ...run, options: numberOf(run.options) }));
  addAll('unfinished', unfinished, run => run);
  addAll('last', last, run => run);
  addAll('refused', refused, total => total);
  add(`"options":[${[...numbers.keys()].join(',\n')}]}\n`);
  addPart();
  return bytes.subarray(0, size);
}

export const badLedger = (file: string, cause: unknown, problem = 'cannot be read'): RowcastError =>
  new RowcastError('bad_ledger', `the record of finished runs ${problem}`, {
    location: { file },
    hint: 'Delete it: all files are then scored again.',
    cause,
  });
