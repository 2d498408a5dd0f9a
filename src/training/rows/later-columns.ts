import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Layout } from '../../formats/format.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { ColumnChoices } from './learn-columns.ts';
import { checkChoices, predictedColumn } from './split-rows.ts';

/** The most columns that the note lists. */
const MAX_LISTED = 20;

/** Watches for columns that the first records do not have, in training data whose records name their own. */
export class LaterColumns {
  readonly #header: readonly string[];
  /** The index of each column that was named and had no value yet. */
  readonly #awaited: Map<string, number>;
  #otherNames: () => string[] = () => [];

  constructor({ names, absent = [] }: Pick<Layout, 'names' | 'absent'>) {
    this.#header = names;
    const awaited = new Set(absent);
    this.#awaited = new Map(
      names.flatMap((name, index) => (awaited.has(name) ? [[name, index] as const] : [])),
    );
  }

  see({ rows, width, ends, otherNames }: Fields): void {
    if (otherNames !== undefined) this.#otherNames = otherNames;
    for (const [name, column] of this.#awaited)
      for (let row = 0; row < rows; row++)
        if (ends[row * width + column] !== 0) {
          this.#awaited.delete(name);
          break;
        }
  }

  /** A file whose records do not name their columns has them all. */
  hasAll(): void {
    this.#awaited.clear();
  }

  /**
   * Checks that each column that was named had a value.
   *
   * @throws RowcastError `no_such_column`
   */
  end(predict: string, choices: ColumnChoices): void {
    if (this.#awaited.size === 0) return;
    const found = this.#header.filter(name => !this.#awaited.has(name));
    const names = [...found, ...this.#otherNames()];
    predictedColumn(names, predict);
    checkChoices(names, predict, choices);
  }

  /** Says which columns were not used. */
  notes(): string[] {
    const names = this.#otherNames();
    if (names.length === 0) return [];
    const listed = names.slice(0, MAX_LISTED).map(name => `"${sanitize(name)}"`);
    const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
    return [
      `Left out ${countOf(names.length, 'member')} that the first objects do not have: ${listed.join(', ')}${more}. To use one, name it with --types or --features.`,
    ];
  }
}
