import type { TrainingProfile } from '../base/contract/profile.ts';
import type { LooseReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { countOf } from '../base/number-text.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { sanitize } from '../base/sanitize.ts';
import { suggestNames } from '../base/suggest-names.ts';
import type { LearnedColumn } from '../formats/columns/column-encoder.ts';
import { excelSeparator } from '../formats/csv/header.ts';
import type { Layout } from '../formats/format.ts';
import { isRejectsFile, rejectColumns } from '../formats/records/reject.ts';
import { refuseRowAsHeader } from '../formats/refuse-row-as-header.ts';
import type { DateOrder } from '../formats/values/dates.ts';
import { hasText, listNames, missingHint } from './missing-hint.ts';

/** A column of the input that is sent to the service. */
export interface FeatureColumn {
  name: string;
  /** 0-based index in a record. */
  index: number;
  /** Type from the definition or the report, if any; `text` for numbers with a decimal comma. */
  type: string | undefined;
  /** The order of day and month in its dates, if it is given. */
  order?: DateOrder;
  /** Whether its numbers are in single precision, and their texts only the shortest decimals of those. */
  isSingle?: true;
}

/** The options that decide which columns are sent. */
export type SentOptions = Partial<
  Pick<
    RunValues,
    | ('features' | 'excludeFeatures' | 'predict' | 'allowMissing' | 'types')
    | ('names' | 'skipLines' | 'delimiter')
  >
>;

/**
 * Chooses the columns to send: those given; else the report's, if it lists them; else all but the predicted one.
 *
 * @throws RowcastError `bad_header`, `missing_columns`, `duplicate_columns`, `no_columns`
 */
export function chooseFeatures(
  layout: Pick<
    Layout,
    'names' | 'absent' | 'rows' | 'columnsHint' | 'laterHeader' | 'readAs' | 'types' | 'singles'
  >,
  report: Pick<LooseReport, 'predicts' | 'columns' | 'profile'>,
  options: SentOptions,
  file: string,
): FeatureColumn[] {
  const absent = new Set(layout.absent);
  const names = absent.size === 0 ? layout.names : layout.names.filter(name => !absent.has(name));
  const { indexes, repeated } = indexNames(layout.names);
  const isThere = (name: string): boolean => indexes.has(name) && !absent.has(name);
  const location = { file, line: 1 + (options.skipLines ?? 0) };
  const listed = report.columns?.map(({ name }) => name);
  const excluded = new Set(options.excludeFeatures);
  const given = [...(options.features ?? []), ...excluded, ...Object.keys(options.types ?? {})];
  // Records that name their own columns have no header, and a file that says how many rows it has says its columns too.
  const isNamed = options.names !== undefined || layout.absent !== undefined || layout.rows !== undefined;
  const known = [...(listed ?? []), ...given];
  const columnsHint = (): string | undefined =>
    layout.laterHeader(options.features ?? listed ?? []) ??
    layout.columnsHint ??
    (layout.names.length === 1 ? layout.laterHeader([]) : undefined);
  if (!isNamed) {
    refuseSingleColumn(layout, known, options.delimiter !== undefined, location);
    refuseRowAsHeader({ names, ...location, hint: columnsHint() ?? rowHint(listed) }, known);
  }
  requireNames(
    { names, columnsHint },
    // What the first records lack may be in later ones.
    options.allowMissing ? name => indexes.has(name) : isThere,
    [
      ...(options.features ?? []),
      ...excluded,
      ...(options.allowMissing ? [] : Object.keys(options.types ?? {})),
    ],
    location,
  );

  const asked =
    options.features ??
    listed ??
    names.filter(
      name => name !== '' && name !== report.predicts && !rejectColumns.some(ours => ours === name),
    );
  if (options.predict !== undefined) {
    if (options.features?.includes(options.predict)) throw predictedFeature(options.predict, location);
    excluded.add(options.predict);
  }
  if (isRejectsFile(names)) for (const name of rejectColumns) excluded.add(name);
  const wanted = [...new Set(asked)].filter(name => !excluded.has(name));
  // Each record names its own columns here: one that training seldom had may well be in none of the first.
  const sparse = new Set(layout.absent === undefined ? [] : mostlyMissing(report.profile));
  const missing = wanted.filter(name => !isThere(name) && !sparse.has(name));
  if (missing.length > 0 && !options.allowMissing)
    throw new RowcastError(
      'missing_columns',
      `the report needs ${columnCount(missing)} that the input does not have: ${listNames(missing)}`,
      {
        location,
        hint: columnsHint() ?? missingHint(missing, { names, wanted, isNamed, ...location }),
      },
    );

  const present = wanted.filter(name => indexes.has(name));
  const ambiguous = present.filter(name => name === '' || repeated.has(name));
  if (ambiguous.length > 0)
    throw new RowcastError(
      'duplicate_columns',
      `columns to send must have unique names: ${listNames([...new Set(ambiguous)])}`,
      {
        location,
        hint: columnsHint() ?? 'Rename them, or leave them out with --exclude-features or --features.',
      },
    );
  if (!present.some(isThere))
    throw new RowcastError('no_columns', 'there are no columns to send', {
      location,
      hint: columnsHint() ?? noColumnsHint(options, missing.length > 0),
    });

  const types = new Map(
    report.columns?.map(({ name, type, decimal }) => [name, decimal === ',' ? 'text' : type]),
  );
  return present.map(name => {
    const index = indexes.get(name) ?? 0;
    const given = Object.hasOwn(options.types ?? {}, name) ? options.types?.[name] : types.get(name);
    const [, order] = /^date:(dmy|mdy)$/.exec(given ?? '') ?? [];
    if (order === 'dmy' || order === 'mdy') return { name, index, type: 'date', order };
    const single = layout.singles?.[index] === true ? ({ isSingle: true } as const) : {};
    return { name, index, type: given ?? layout.types?.[index], ...single };
  });
}

/**
 * The columns of a model, which reads dates in the orders of day and month that are given.
 *
 * @param learned undefined for a model elsewhere, of which it is not known
 * @throws RowcastError `bad_option`
 */
export function withOrders<T extends readonly LearnedColumn[] | undefined>(
  learned: T,
  features: readonly Pick<FeatureColumn, 'name' | 'order'>[],
): T | LearnedColumn[] {
  const orders = new Map(features.flatMap(({ name, order }) => (order === undefined ? [] : [[name, order]])));
  if (orders.size === 0) return learned;
  const dates = new Set(learned?.filter(({ type }) => type === 'date').map(({ name }) => name));
  for (const [name, order] of orders)
    if (!dates.has(name))
      throw new RowcastError(
        'bad_option',
        learned === undefined
          ? `--types: a service reads dates in the order of day and month that its model learned, so "${sanitize(name)}" cannot be date:${order}`
          : `--types: the report has no dates in "${sanitize(name)}", so it cannot be date:${order}`,
        { hint: 'Leave out the type of this column.' },
      );
  return (learned ?? []).map(column => {
    const order = orders.get(column.name);
    return column.type === 'date' && order !== undefined ? { ...column, order } : column;
  });
}

/** Columns that most rows of the training lacked. No limit on missing values stops a run for one of them either. */
const mostlyMissing = ({ rows, columns }: TrainingProfile = { rows: 1, columns: [], scores: [] }): string[] =>
  columns.filter(({ missing }) => missing > rows / 2).map(({ name }) => name);

/**
 * Refuses a single column that looks like several where nothing says which columns there should be, unless its
 * delimiter was given.
 *
 * @throws RowcastError `bad_header`
 */
function refuseSingleColumn(
  layout: Pick<Layout, 'names' | 'columnsHint' | 'laterHeader' | 'readAs'>,
  known: readonly string[],
  isGiven: boolean,
  location: { file: string; line: number },
): void {
  const { names, columnsHint, readAs } = layout;
  const isForExcel = excelSeparator(names) !== undefined;
  if (isForExcel)
    throw new RowcastError('bad_header', 'the first line is a note for Excel, not the header', {
      location,
      ...(columnsHint !== undefined && { hint: columnsHint }),
    });
  if (isGiven || names.length !== 1 || known.length > 0) return;
  const later = layout.laterHeader([]);
  const hint = later ?? columnsHint;
  if (hint === undefined) return;
  const { delimiter = ',' } = readAs;
  const flag = `--delimiter ${delimiter === '\t' ? 'tab' : `'${delimiter}'`}`;
  throw new RowcastError(
    'bad_header',
    `the header has a single column, ${listNames(names)}, but ${later === undefined ? 'looks like several' : 'the lines after it look like several'}`,
    // What is more likely comes first: a name that is no list of names, or a list.
    {
      location,
      hint:
        columnsHint === undefined
          ? `If it is a single column, use ${flag}. Otherwise: ${hint}`
          : `${hint} If it is a single column, use ${flag}.`,
    },
  );
}

const predictedFeature = (name: string, location: { file: string; line: number }): RowcastError =>
  new RowcastError('bad_option', `--features has the column that --predict names: ${listNames([name])}`, {
    location,
    hint: 'What is predicted is never sent: leave it out of one of them.',
  });

const rowHint = (listed: readonly string[] | undefined): string =>
  `Name the columns in their order: --names NAME,NAME,…${listed === undefined ? ' If these are names all the same, list them with --features.' : `; those of the report are: ${listNames(listed)}.`}`;

/** Names the options that have left nothing to send. */
function noColumnsHint({ features, excludeFeatures }: SentOptions, isAnyMissing: boolean): string {
  const used = [
    ...(features === undefined ? [] : ['--features']),
    ...(excludeFeatures === undefined ? [] : ['--exclude-features']),
    ...(isAnyMissing ? ['--allow-missing'] : []),
  ];
  const without = 'The input has no column that the report could use: check that it is the right file.';
  if (used.length === 0) return without;
  if (isAnyMissing) return `The input has none of the columns, which ${used.join(' and ')} allows.`;
  return `Check ${used.join(' and ')}.`;
}

/**
 * Each name's first index, and the names that occur more than once. Linear, since a header may have a million columns.
 */
function indexNames(names: readonly string[]): { indexes: Map<string, number>; repeated: Set<string> } {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, name] of names.entries())
    if (indexes.has(name)) repeated.add(name);
    else indexes.set(name, index);
  return { indexes, repeated };
}

function requireNames(
  { names, columnsHint }: { names: readonly string[]; columnsHint: () => string | undefined },
  isThere: (name: string) => boolean,
  named: readonly string[],
  location: { file: string; line: number },
): void {
  const unknown = named.filter(name => !isThere(name));
  if (unknown.length === 0) return;
  throw new RowcastError('missing_columns', `the input has no column ${listNames(unknown)}`, {
    location,
    hint: columnsHint() ?? `${didYouMean(unknown[0], names)}${hasText(names)}`,
  });
}

function didYouMean(unknown = '', names: readonly string[]): string {
  const near = suggestNames(unknown, names);
  return near.length === 0 ? '' : `Did you mean ${near.map(name => listNames([name])).join(' or ')}? `;
}

const columnCount = (names: readonly string[]): string =>
  names.length === 1 ? 'a column' : countOf(names.length, 'column');
