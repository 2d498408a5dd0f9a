import { type JoinKeys, valuesOfKey } from './keyed-rows.ts';

/** Keys of each side that are compared: with more, those of files in another order still meet. */
const MAX_KEYS = 10_000;

/** How a value is written differently by another program, and what makes it the same. They are applied in this order. */
const forms: readonly { name: string; same: (value: string) => string }[] = [
  { name: 'composed letters', same: value => value.normalize('NFC') },
  { name: 'quotation marks', same: value => value.replace(/^(["'])(.*)\1$/s, '$2') },
  { name: 'spaces around them', same: value => value.trim() },
  { name: 'capital letters', same: value => value.toLowerCase() },
  { name: 'decimals that are zero', same: value => value.replace(/^([+-]?\d+)\.0*$/, '$1') },
  { name: 'leading zeros', same: value => value.replace(/^0+(?=\d)/, '') },
];

const sameText = (values: readonly string[], left?: (typeof forms)[number]): string =>
  JSON.stringify(
    values.map(value => forms.reduce((text, form) => (form === left ? text : form.same(text)), value)),
  );

/** Keys of labels that no scored row has, but for the way in which they are written. */
export interface KeyLookalikes {
  keys: number;
  /** In what the first of them differs. */
  forms: string[];
}

/** Finds out whether keys are only written differently, from the first ones of both sides. */
export class KeyForms {
  /** Keys of scored rows, and, when they are needed, by what they are if written the same way. */
  readonly #keys: (readonly string[])[] = [];
  #scored: Map<string, readonly string[]> | undefined;
  #labelKeys = 0;
  lookalikes: KeyLookalikes | undefined;
  /** A key of a scored row, and one of labels that no scored row has: two that look alike, if there are any. */
  readonly example: { scored?: string | undefined; label?: string } = {};

  addScored({ rows, words, starts, ends }: JoinKeys): void {
    for (let row = 0; row < rows && this.#keys.length < MAX_KEYS; row++)
      this.#keys.push(valuesOfKey(words.bytes.subarray(starts[row], ends[row])));
    this.example.scored ??= this.#keys[0]?.join(', ');
  }

  /** @param key of labels, which no scored row has */
  addLabel(key: Buffer): void {
    if (this.#labelKeys++ >= MAX_KEYS) return;
    const values = valuesOfKey(key);
    this.#scored ??= new Map(this.#keys.map(each => [sameText(each), each]));
    const scored = this.#scored.get(sameText(values));
    this.example.label ??= values.join(', ');
    if (scored === undefined) return;
    if (this.lookalikes === undefined) {
      Object.assign(this.example, { scored: scored.join(', '), label: values.join(', ') });
      const differing = forms.filter(form => sameText(values, form) !== sameText(scored, form));
      this.lookalikes = { keys: 0, forms: differing.map(({ name }) => name) };
    }
    this.lookalikes.keys++;
  }
}
