import { writeRow } from '../../base/write-row.ts';
import { KeyForms } from './key-forms.ts';
import type { KeyProblem, LabelledKey } from './key-join.ts';
import { valuesOfKey } from './keyed-rows.ts';

/** Keys of each problem that are listed, and bytes of all. */
const MAX_KEYS = 20_000;
const MAX_BYTES = 32 << 20;

/** What `writeRow` puts in quotes, which takes longer. */
const SPECIAL = /["\r\n,]/;

/** Rows of one file are numbered from here on in a place. */
const FILE_STEP = 2 ** 36;

/** Where a row is, as a number: the index of its file, and its number there. */
export const labelPlace = (file: number, row: number): number => file * FILE_STEP + row;

/** Lists keys that are not as they should be, as a CSV. */
export class UnmatchedKeys {
  readonly #files: readonly string[];
  readonly #lines: string[] = [];
  readonly #counts = new Map<KeyProblem, number>();
  readonly forms = new KeyForms();
  #bytes = 0;
  /** Whether there are keys that are not listed, because they are too many. */
  isCut = false;

  /**
   * @param key the columns of the key
   * @param files those of the labels
   */
  constructor(key: readonly string[], files: readonly string[]) {
    this.#files = files;
    this.#add(['problem', ...key, 'label_rows', 'scored_rows', 'labels', 'row']);
  }

  /** The number of keys with problems, listed or not. */
  get keys(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get text(): string {
    return this.#lines.join('');
  }

  add(problem: KeyProblem, { key, place, labelRows, scoredRows }: LabelledKey): void {
    const count = (this.#counts.get(problem) ?? 0) + 1;
    this.#counts.set(problem, count);
    if (problem === 'not_scored') this.forms.addLabel(key);
    if (count > MAX_KEYS || this.#bytes > MAX_BYTES) {
      this.isCut = true;
      return;
    }
    const file = this.#files[Math.floor(place / FILE_STEP)] ?? '';
    this.#add([
      problem,
      ...valuesOfKey(key),
      String(labelRows),
      String(scoredRows),
      file,
      String(place % FILE_STEP),
    ]);
  }

  #add(values: string[]): void {
    const line = values.some(value => SPECIAL.test(value)) ? writeRow(values) : `${values.join(',')}\n`;
    this.#lines.push(line);
    this.#bytes += line.length;
  }
}
