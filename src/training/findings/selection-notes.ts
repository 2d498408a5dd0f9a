import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { EncodableColumn, Encoding } from '../learn/features/design.ts';
import type { Candidate } from '../learn/selection/candidates.ts';
import type { Selection } from '../learn/selection/search.ts';

/** The kind of model, as tech specs name it. */
export function algorithmOf({ kind, loss }: Candidate): string {
  switch (kind) {
    case 'trees':
      return 'gradient boosted trees';
    case 'linear':
      return loss.linear?.algorithm ?? 'linear model';
  }
}

const CANDIDATE = 'Candidate, trained on';

/** Whether a note is one of those about what was compared, which matter to few. */
export const isCandidateNote = (note: string): boolean => note.startsWith(CANDIDATE);

/** What was compared on validation, with the results. */
export function selectionNotes({ compared }: Selection): string[] {
  return compared.map(({ candidate: { name, loss }, metrics, rows }) => {
    return `${CANDIDATE} ${counted(rows)} rows: ${name}; validation ${loss.describe(metrics)}.`;
  });
}

/**
 * How columns with many or rare values are encoded.
 *
 * @param classes 1 for numbers
 */
export function encodingNotes(
  columns: readonly EncodableColumn[],
  encodings: readonly Encoding[],
  classes: number,
): string[] {
  const target = classes === 1 ? 'mean of the number' : 'share of each class';
  return columns.flatMap((column, i) => encodingNote(column, encodings[i], target) ?? []);
}

function encodingNote(
  { column, levels }: EncodableColumn,
  encoding: Encoding | undefined,
  target: string,
): string | undefined {
  const name = sanitize(column.name);
  switch (encoding?.kind) {
    case undefined:
    case 'own':
      return undefined;
    case 'merged':
      return encoding.count === levels.length
        ? undefined
        : `"${name}": the ${counted(encoding.count)} most frequent of ${counted(levels.length)} values are used; all others are merged into one.`;
    case 'target':
      return `"${name}" has ${counted(levels.length)} values; each is replaced by the ${target} among its rows (target encoding).`;
    case 'left out':
      return `Left out "${name}": validation results were better without it, and most of its values are rare.`;
  }
}

/** Which rows each of the two models was trained on. */
export function servedNote(evaluated: number, served: number): string {
  return `All metrics are of a model that was trained on ${counted(evaluated)} rows and tested on the others; the served model was then trained on all ${counted(served)} rows with the same settings.`;
}
