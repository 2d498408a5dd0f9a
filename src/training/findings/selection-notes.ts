import { sanitize } from '../../sanitize.ts';
import type { ColumnValues } from '../learn/features/column-values.ts';
import type { Encoding } from '../learn/features/design.ts';
import type { Candidate } from '../learn/selection/candidates.ts';
import type { Selection } from '../learn/selection/select.ts';
import { percent } from './evaluation.ts';

const count = (rows: number): string => rows.toLocaleString('en-US');

/** The kind of model, as tech specs name it. */
export function algorithmOf({ kind }: Candidate): string {
  switch (kind) {
    case 'trees':
      return 'gradient boosted trees';
    case 'linear':
      return 'logistic regression';
  }
}

/** What was compared on validation, with what it came to. */
export function selectionNotes({ compared }: Selection): string[] {
  return compared.map(({ candidate: { name }, metrics: { loss, accuracy }, rows }) => {
    return `Compared on validation, after ${count(rows)} rows: ${name}, with a log loss of ${loss.toFixed(4)} and an accuracy of ${percent(accuracy)}.`;
  });
}

/** How columns of many or rare values are learned from. */
export function encodingNotes(columns: readonly ColumnValues[], encodings: readonly Encoding[]): string[] {
  return columns.flatMap((column, i) => encodingNote(column, encodings[i]) ?? []);
}

function encodingNote({ column, levels }: ColumnValues, encoding: Encoding | undefined): string | undefined {
  const name = sanitize(column.name);
  switch (encoding?.kind) {
    case undefined:
    case 'own':
      return undefined;
    case 'merged':
      return encoding.count === levels.length
        ? undefined
        : `Of "${name}" the ${count(encoding.count)} most frequent of ${count(levels.length)} values are learned from; all others count as one.`;
    case 'target':
      return `Of "${name}", which has ${count(levels.length)} values, the share of each class among a value's rows is learned from.`;
    case 'left out':
      return `Left out "${name}": validation was better without it; most of its values are rare.`;
  }
}

/** Which rows each of the two models was learned from. */
export function servedNote(evaluated: number, served: number): string {
  return `All figures are of a model that was learned from ${count(evaluated)} rows and tested on the others; the model that is served was then learned from all ${count(served)} rows with the same settings.`;
}
