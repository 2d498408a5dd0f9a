import { looksLikeValue } from '../formats/refuse-row-as-header.ts';
import { listNames, nearMissText } from './near-misses.ts';

export interface MissingFrom {
  /** The columns of the input. */
  names: readonly string[];
  /** Those that are to be sent. */
  wanted: readonly string[];
  /** Whether the first line certainly is no row. */
  isNamed: boolean;
  file: string;
}

/** What to do about missing columns. --allow-missing helps only if others are there, and if nothing else has the values. */
export function missingHint(
  missing: readonly string[],
  { names, wanted, isNamed, file }: MissingFrom,
): string {
  const near = nearMissText(missing, names);
  const inPath = partitionColumns(file).filter(name => missing.includes(name));
  if (inPath.length > 0)
    return `${near}The names of its folders have ${listNames(inPath)}, but the file does not. Write them into it first, for example with DuckDB: COPY (FROM read_parquet('…', hive_partitioning = true)) TO 'all.parquet'.`;
  if (missing.length < wanted.length)
    return `${near}Add them to the input, or use --allow-missing to send them as missing values.`;
  if (!isNamed && names.some(looksLikeValue))
    return 'If the first line is a row, name the columns in their order, with --names NAME,NAME,…; otherwise check that it is the right file.';
  return `${near}None of the columns is there: check that it is the right file. ${hasText(names)}`;
}

/** The columns that folders name, as Hive, Spark and DuckDB write them: `plan=basic/part-0.parquet`. */
function partitionColumns(file: string): string[] {
  const folders = file.split(/[\\/]/).slice(0, -1);
  return folders.flatMap(folder => /^([^=]+)=/.exec(folder)?.[1] ?? []);
}

/** The most columns of the input that a hint lists. */
const MAX_SHOWN = 20;

export const hasText = (names: readonly string[]): string =>
  `It has: ${listNames(names.slice(0, MAX_SHOWN))}${names.length > MAX_SHOWN ? ', …' : ''}.`;
