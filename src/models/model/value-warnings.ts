import type { Value, ValueWarning } from '../../base/contract/schemas.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type LearnedColumn, unrecognizedOf } from '../../formats/columns/column-encoder.ts';

/** Warnings of one persona: of more, no one needs a list. */
const MAX_WARNINGS = 100;

/** Collects what is to say about the values of a persona. */
export class ValueWarnings {
  /** By column: a date may be several columns of the model, and a member may be repeated. */
  readonly #warnings = new Map<string, ValueWarning>();

  /** @param number what the column's encoder makes of the value */
  add(column: LearnedColumn, value: Value, number: number | null): void {
    const { name } = column;
    const code = unrecognizedOf(column, value, number);
    if (code !== 'mismatched' && code !== 'unseen') this.#warnings.delete(name);
    else if (this.#warnings.size < MAX_WARNINGS)
      this.#warnings.set(name, { code, column: name, message: messageOf(column, number) });
  }

  get list(): ValueWarning[] {
    return [...this.#warnings.values()];
  }
}

function messageOf(column: LearnedColumn, number: number | null): string {
  const name = `"${sanitize(column.name)}"`;
  if (column.type === 'categorical')
    return `the model does not know this category of ${name}: it counts as ${number === null ? 'missing' : 'a rare one'}`;
  return `the value of ${name} is not a ${column.type === 'date' ? 'date' : 'number'}: it counts as missing`;
}
