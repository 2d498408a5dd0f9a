import { RowcastError } from '../../base/errors.ts';
import { type PreviewedTarget, previewTarget } from '../../training/rows/labels.ts';
import { checkLabels, MAX_TRAINED_CLASSES, tooManyClasses } from '../../training/rows/split-rows.ts';
import type { Profile, ProfiledColumn } from '../data/profile/profile-shape.ts';
import { type ShownError, shownError } from '../errors/shown-error.ts';
import { trainingHints } from '../training-store.ts';

/** What training can do with a column as the one to predict. */
export type PredictionTarget =
  /** It predicts the values as classes; `unlisted` further ones are not known. */
  | ({ kind: 'classes'; unlisted: number } & PreviewedTarget)
  /** They are amounts: it predicts them as numbers, or ranges of them as classes. */
  | { kind: 'amounts' }
  | { kind: 'refused'; problem: ShownError };

/** Applies the rules of training to a column's profile. */
export function targetOf(
  column: ProfiledColumn,
  { rows, columns }: Pick<Profile, 'rows' | 'columns'>,
): PredictionTarget {
  try {
    return judge(column, rows - column.missing, columns);
  } catch (error) {
    if (!(error instanceof RowcastError)) throw error;
    if (error.code === 'numeric_target') return { kind: 'amounts' };
    return { kind: 'refused', problem: shownError(error, trainingHints) };
  }
}

function judge(column: ProfiledColumn, labelled: number, columns: Profile['columns']): PredictionTarget {
  const { name, distinct, top, topOf, type } = column;
  if (name === '') throw new RowcastError('no_such_column', 'the column has no name');
  if (columns.filter(other => other.name === name).length > 1)
    throw new RowcastError('ambiguous_column', 'another column has the same name', {
      hint: 'Rename one of them.',
    });
  const isListed = topOf === 'all' && top.length === distinct.count;
  const texts = new Map(top.map(({ text, count }) => [text, count]));
  if (isListed) return { kind: 'classes', unlisted: 0, ...previewTarget(texts, name) };
  const classes = distinct.isMore ? MAX_TRAINED_CLASSES + 1 : distinct.count;
  checkLabels({ rows: labelled, classes: Math.min(classes, MAX_TRAINED_CLASSES) }, name);
  if (type === 'numerical') return { kind: 'amounts' };
  if (classes > MAX_TRAINED_CLASSES) throw tooManyClasses(name);
  const listed = top.map(({ text, count }) => ({ name: text, rows: count }));
  return { kind: 'classes', unlisted: distinct.count - top.length, classes: listed, notes: [] };
}
