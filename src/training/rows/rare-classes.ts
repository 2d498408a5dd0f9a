import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';

/** With fewer rows, a class may be no class: a sum below the rows, a note, a value that slipped into another column. */
const FEW_ROWS = 5;
/** Fewer rows are too few to train from. */
const MIN_ROWS = 50;
/** The most classes that the note lists. */
const MAX_LISTED = 20;

/** Notes the classes that have few rows, with where the first one is. */
export class RareClasses {
  /** In the order of the rows. */
  readonly #places = new Map<string, string>();

  /** @param placeOf where the row is, such as `line 7`; called for the first one of a label */
  see(label: string, placeOf: () => string): void {
    if (!this.#places.has(label)) this.#places.set(label, placeOf());
  }

  /**
   * @param counts label → rows
   * @param classOf label → the name of its class
   */
  notes(
    counts: ReadonlyMap<string, number>,
    classOf: ReadonlyMap<string, string>,
    predict: string,
  ): string[] {
    const all = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
    if (all < MIN_ROWS) return [];
    const classes = new Map<string, { rows: number; place: string }>();
    for (const [label, place] of this.#places) {
      const name = classOf.get(label);
      if (name === undefined) continue;
      const { rows = 0, place: first = place } = classes.get(name) ?? {};
      classes.set(name, { rows: rows + (counts.get(label) ?? 0), place: first });
    }
    const rare = [...classes].filter(([, { rows }]) => rows < FEW_ROWS);
    if (rare.length === 0) return [];
    const listed = rare
      .slice(0, MAX_LISTED)
      .map(([name, { rows, place }]) => `"${sanitize(name)}" (${countOf(rows, 'row')}, ${sanitize(place)})`);
    const others = rare.length > MAX_LISTED ? ` and ${rare.length - MAX_LISTED} more` : '';
    return [
      `"${sanitize(predict)}" has classes with fewer than five rows: ${listed.join(', ')}${others}. If some of these rows are not data, such as sums, remove them.`,
    ];
  }
}
