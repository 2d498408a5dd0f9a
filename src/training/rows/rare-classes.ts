import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';

/** With fewer rows, a class may be no class: a sum below the rows, a note, a value that slipped into another column. */
const FEW_ROWS = 5;
/** Fewer rows are too few to train from. */
const MIN_ROWS = 50;
/** The most classes that the note lists. */
const MAX_LISTED = 20;

/** Notes the classes that have few rows, with the line of the first one. */
export class RareClasses {
  readonly #lines = new Map<string, number>();

  /** @param lineOf the line of the row; called for the first one of a label */
  see(label: string, lineOf: () => number): void {
    if (!this.#lines.has(label)) this.#lines.set(label, lineOf());
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
    const classes = new Map<string, { rows: number; line: number }>();
    for (const [label, line] of this.#lines) {
      const name = classOf.get(label);
      if (name === undefined) continue;
      const { rows = 0, line: first = line } = classes.get(name) ?? {};
      classes.set(name, { rows: rows + (counts.get(label) ?? 0), line: Math.min(first, line) });
    }
    const rare = [...classes].filter(([, { rows }]) => rows < FEW_ROWS);
    if (rare.length === 0) return [];
    const listed = rare
      .slice(0, MAX_LISTED)
      .map(([name, { rows, line }]) => `"${sanitize(name)}" (${countOf(rows, 'row')}, line ${line})`);
    const others = rare.length > MAX_LISTED ? ` and ${rare.length - MAX_LISTED} more` : '';
    return [
      `"${sanitize(predict)}" has classes with fewer than five rows: ${listed.join(', ')}${others}. If some of these rows are not data, such as sums, remove them.`,
    ];
  }
}
