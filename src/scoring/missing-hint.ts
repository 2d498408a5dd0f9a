import { sanitize } from '../base/sanitize.ts';
import { shellWord } from '../base/shell-word.ts';
import { suggestNames } from '../base/suggest-names.ts';
import { writeRow } from '../base/write-row.ts';
import { looksLikeValue } from '../formats/refuse-row-as-header.ts';

interface MissingFrom {
  /** The columns of the input. */
  names: readonly string[];
  /** Those that are to be sent. */
  wanted: readonly string[];
  /** Whether the first line certainly is no row. */
  isNamed: boolean;
  file: string;
  /** The line of the header. */
  line: number;
}

/**
 * What to do about missing columns. --allow-missing helps only if others are there, and if nothing else has the values.
 */
export function missingHint(
  missing: readonly string[],
  { names, wanted, isNamed, file, line }: MissingFrom,
): string {
  const inOtherCase = namesInOtherCase(missing, names);
  if (inOtherCase !== undefined)
    return `The names differ only in upper and lower case. ${isNamed ? 'Rename them in the input.' : `Leave out the header line, and name the columns as the report does: --skip-lines ${line} --names ${shellWord(writeRow(inOtherCase).slice(0, -1))}`}`;
  const near = nearMissText(missing, names);
  const inPath = partitionColumns(file).filter(name => missing.includes(name));
  if (inPath.length > 0)
    return `${near}The names of its folders have ${listNames(inPath)}, but the file does not. Write them into it first, for example with DuckDB: ${duckdbCopy(file)}`;
  if (missing.length < wanted.length)
    return `${near}Add ${missing.length === 1 ? 'it' : 'them'} to the input, or use --allow-missing to send them as missing values.`;
  if (!isNamed && names.some(looksLikeValue))
    return 'If the first line is a row, name the columns in their order, with --names NAME,NAME,…; otherwise check that it is the right file.';
  return `${near}${near === '' ? 'None of the columns is there: check' : 'Otherwise, check'} that it is the right file. ${hasText(names)}`;
}

/**
 * The columns of the input, called as they are missing; undefined if they do not differ in upper and lower case only.
 */
function namesInOtherCase(missing: readonly string[], names: readonly string[]): string[] | undefined {
  const wanted = new Map(missing.map(name => [name.toLowerCase(), name]));
  const found = names.map(name => wanted.get(name.toLowerCase()) ?? name);
  const isAll = missing.every(name => found.includes(name)) && new Set(found).size === found.length;
  return isAll ? found : undefined;
}

/** The columns that folders name, as Hive, Spark and DuckDB write them: `plan=basic/part-0.parquet`. */
function partitionColumns(file: string): string[] {
  const folders = file.split(/[\\/]/).slice(0, -1);
  return folders.flatMap(folder => /^([^=]+)=/.exec(folder)?.[1] ?? []);
}

/** Joins all files of such folders. Text of CSV stays as it is. */
function duckdbCopy(file: string): string {
  const name = file.toLowerCase();
  if (/\.(csv|tsv|txt)(\.\w+)?$/.test(name))
    return "COPY (FROM read_csv('…', hive_partitioning = true, all_varchar = true)) TO 'all.csv'.";
  if (/\.(jsonl|ndjson|json)(\.\w+)?$/.test(name))
    return "COPY (FROM read_json('…', hive_partitioning = true)) TO 'all.jsonl' (FORMAT json).";
  return "COPY (FROM read_parquet('…', hive_partitioning = true)) TO 'all.parquet'.";
}

/** The most columns of the input that a hint lists. */
const MAX_SHOWN = 20;

export const hasText = (names: readonly string[]): string =>
  `It has: ${listNames(names.slice(0, MAX_SHOWN))}${names.length > MAX_SHOWN ? ', …' : ''}.`;

/** A column of the report that the input lacks, and one of the input that was perhaps meant by it. */
export interface NearMiss {
  wanted: string;
  found: string;
}

/** Maximum number of missing columns to look for: each is compared with every column of the input. */
const MAX_NEAR_MISSES = 20;

/** @param names the input's columns */
export function nearMissesOf(missing: readonly string[], names: readonly string[]): NearMiss[] {
  return missing.slice(0, MAX_NEAR_MISSES).flatMap(wanted => {
    const [found] = suggestNames(wanted, names);
    return found === undefined ? [] : [{ wanted, found }];
  });
}

/** For example `Did you mean "tenure" for "Tenure"? `; empty if no name is similar. */
function nearMissText(missing: readonly string[], names: readonly string[]): string {
  const pairs = nearMissesOf(missing, names).map(
    ({ wanted, found }) => `${listNames([wanted])} for ${listNames([found])}`,
  );
  return pairs.length === 0 ? '' : `Did you mean ${pairs.join(', ')}? `;
}

/** Names for a message, quoted. A column without a name is called `(unnamed)`. */
export function listNames(names: readonly string[]): string {
  return sanitize(names.map(name => (name === '' ? '(unnamed)' : JSON.stringify(name))).join(', '));
}
