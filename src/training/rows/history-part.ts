import { RowcastError } from '../../base/errors.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import type { Layout } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { HistoryFile } from './malformed-rows.ts';

/** One of the files of the training data, and how its rows become rows of the first one. */
export interface HistoryPart extends HistoryFile {
  /** What its records are read with: of JSON lines, that of the first file, as if the files were joined. */
  reads: Layout;
  fieldsOf: (batch: Batch) => Fields;
  /** The index of the predicted column in its fields. */
  column: number;
  /** The index in its fields of each column of the first file; undefined if the order is the same. */
  order: readonly number[] | undefined;
  /** The index of its first row among all labelled rows. */
  start: number;
}

export const firstPart = ({ name, layout }: HistoryFile, column: number): HistoryPart => ({
  name,
  layout,
  reads: layout,
  fieldsOf: layout.fieldReader(),
  column,
  order: undefined,
  start: 0,
});

/**
 * A file after the first one. It has the same columns, in any order; the objects of JSON lines may lack some.
 *
 * @param start the number of labelled rows before it
 * @throws RowcastError `other_columns`
 */
export function furtherPart(first: HistoryPart, { name, layout }: HistoryFile, start: number): HistoryPart {
  const own = { name, layout };
  if (layout.namesColumnsLater && first.layout.namesColumnsLater) {
    const present = new Set(presentIn(layout));
    if (!first.layout.names.some(column => present.has(column))) throw otherColumns(first, own);
    return { ...first, ...own, start };
  }
  const order = orderOf(first, own);
  const isSame = order.every((at, index) => at === index);
  return {
    ...firstPart(own, order[first.column] ?? first.column),
    order: isSame && order.length === layout.names.length ? undefined : order,
    start,
  };
}

/** The columns of a file without those that only options name. */
function presentIn({ names, absent = [] }: Layout): string[] {
  const without = new Set(absent);
  return names.filter(name => !without.has(name));
}

function orderOf(first: HistoryPart, own: HistoryFile): number[] {
  const places = new Map<string, number[]>();
  for (const [index, name] of own.layout.names.entries())
    places.set(name, [...(places.get(name) ?? []), index]);
  // A name that occurs twice stands for the columns in their order.
  const order = first.layout.names.map(name => places.get(name)?.shift());
  const known = order.filter(at => at !== undefined);
  const isSame = known.length === first.layout.names.length && presentIn(own.layout).length === known.length;
  if (!isSame || (own.layout.absent ?? []).some(name => first.layout.names.includes(name)))
    throw otherColumns(first, own);
  return known;
}

function otherColumns(first: HistoryFile, { name, layout }: HistoryFile): RowcastError {
  const [wanted, present] = [first.layout.names, presentIn(layout)];
  const without = (from: readonly string[], names: readonly string[]): string[] => {
    const left = [...names];
    return from.filter(column => {
      const at = left.indexOf(column);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
  };
  const [lacks, has] = [without(wanted, present), without(present, wanted)];
  const differences = [
    ...(lacks.length === 0 ? [] : [`it lacks ${quoted(lacks)}`]),
    ...(has.length === 0 ? [] : [`it has ${quoted(has)} more`]),
  ];
  return new RowcastError(
    'other_columns',
    `the columns are not those of ${sanitize(first.name)}: ${differences.join(' and ')}`,
    {
      location: { file: name },
      hint:
        lacks.length === wanted.length
          ? 'Each file needs its own header line; if none has one, name the columns with --names NAME,NAME,….'
          : 'Give all files the same columns, in any order.',
    },
  );
}

const quoted = (names: readonly string[]): string => formatList(names.map(name => `"${name}"`));
