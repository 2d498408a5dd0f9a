import { type Html, html } from '../html.ts';
import { countedText, countText, nameText, percentOf, shortenedInside } from '../texts.ts';
import { figure } from './figure.ts';

interface ConfusionChart {
  id: string;
  title: string;
  /** The classes as in the file, in the order to show them in. */
  classes: readonly string[];
  /** Rows by actual and predicted class. */
  counts: readonly (readonly number[])[];
  caption?: Html;
}

/** Shades of a colour, by the share of the actual class's rows. */
const STEPS = 5;
/** With more classes, the cells hold counts only, and with many more none. */
const MAX_WITH_SHARES = 5;
const MAX_WITH_COUNTS = 24;
/** Cells of the table: more classes are listed by their most frequent mistakes. */
const MAX_TABLE_CLASSES = 30;

/** The testing rows by actual and predicted class: correct ones on the diagonal in blue, mistakes in orange. */
export function confusionChart({ id, title, classes, counts, caption }: ConfusionChart): Html {
  const names = classes.map(nameText);
  const layout = layoutOf(names);
  const { cell, height, left, top } = layout;
  const cells = cellsOf(counts);
  const drawn = cells.map(({ actual, predicted, count, share }) => {
    // With 100 classes, most of the 10,000 cells are empty.
    if (count === 0 && classes.length > MAX_WITH_SHARES) return undefined;
    const kind = actual === predicted ? 'right' : 'wrong';
    const step = count === 0 ? 0 : Math.max(1, Math.ceil(share * STEPS - 1e-9));
    const [x, y] = [left + cell * predicted, top + height * actual];
    return html`<g class="${kind} step-${step}"><title>${names[actual]}, predicted as ${names[predicted]}: ${countText(count)} (${percentOf(share)})</title><rect x="${x}" y="${y}" width="${cell - 2}" height="${height - 2}" rx="2"/>${cellText(count, share, classes.length, x + cell / 2 - 1, y + height / 2 - 1)}</g>`;
  });
  const [right, bottom] = [left + cell * classes.length, top + height * classes.length];
  return figure({
    id,
    title,
    description: `Rows are actual classes, columns predicted ones. ${spoken(names, cells)}`,
    ...(caption && { caption }),
    width: right,
    height: bottom,
    pinned: {
      width: left,
      content: html`<text class="axis" x="0" y="${top - 8}">↓ Actual</text>
${names.map((name, i) => html`<text class="label" x="${left - 8}" y="${top + height * (i + 0.5) + 3}" text-anchor="end"><title>${name}</title>${shortenedInside(name, layout.letters)}</text>`)}`,
    },
    content: html`<text class="axis" x="${left}" y="12">Predicted →</text>
${names.map((_, i) => html`<rect class="empty-row" x="${left}" y="${top + height * i}" width="${right - left - 2}" height="${height - 2}"/>`)}
${names.map((_, i) => i > 0 && html`<line class="gap" x1="${left + cell * i - 1}" x2="${left + cell * i - 1}" y1="${top}" y2="${bottom}"/>`)}
${names.map((name, i) => columnLabel(name, layout, i))}
${drawn}`,
    numbers: {
      head: ['Actual', 'Predicted', 'Rows', 'Share of the actual class'],
      ...mistakes(names, cells),
    },
  });
}

interface Layout {
  cell: number;
  height: number;
  left: number;
  top: number;
  /** The most letters of a class's name. */
  letters: number;
  isTilted: boolean;
}

/** Few classes get large cells; on a phone, up to three fit without scrolling. */
function layoutOf(names: readonly string[]): Layout {
  const longest = Math.max(...names.map(name => name.length));
  const count = names.length;
  const isSmall = count <= MAX_WITH_SHARES;
  const cell = smallCells[count] ?? (count <= MAX_WITH_COUNTS ? 28 : 18);
  const height = isSmall ? Math.min(cell, 84) : cell;
  const letters = Math.min(longest, 10);
  const isTilted = longest * LETTER > cell;
  const top = isTilted ? 44 + 6 * letters : 40;
  return { cell, height, left: 24 + LETTER * letters, top, letters, isTilted };
}

/** The widths of cells by the number of classes. */
const smallCells: Readonly<Record<number, number>> = { 2: 96, 3: 66, 4: 60, 5: 50 };
/** The width of a letter, about. */
const LETTER = 7;

function columnLabel(name: string, { cell, left, top, isTilted, letters }: Layout, index: number): Html {
  const x = left + cell * (index + 0.5) - 1;
  if (!isTilted) return html`<text class="label" x="${x}" y="${top - 8}" text-anchor="middle">${name}</text>`;
  return html`<text class="label" transform="translate(${x + 4} ${top - 8}) rotate(-90)"><title>${name}</title>${shortenedInside(name, letters)}</text>`;
}

function cellText(count: number, share: number, classes: number, x: number, y: number): Html | undefined {
  if (classes <= MAX_WITH_SHARES)
    return html`<text class="count" x="${x}" y="${y - 1}" text-anchor="middle">${countText(count)}</text><text class="share" x="${x}" y="${y + 15}" text-anchor="middle">${percentOf(share)}</text>`;
  if (classes > MAX_WITH_COUNTS || count === 0) return undefined;
  return html`<text class="share" x="${x}" y="${y + 4}" text-anchor="middle">${count > 999 ? `${Math.round(count / 1000)}k` : count}</text>`;
}

interface Cell {
  actual: number;
  predicted: number;
  count: number;
  /** The part of the rows of the actual class that are in this cell, from 0 to 1. */
  share: number;
}

const cellsOf = (counts: ConfusionChart['counts']): Cell[] =>
  counts.flatMap((own, actual) => {
    const total = own.reduce((sum, count) => sum + count, 0);
    return own.map((count, predicted) => ({
      actual,
      predicted,
      count,
      share: total === 0 ? 0 : count / total,
    }));
  });

const byCount = (cells: readonly Cell[]): Cell[] =>
  cells.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);

/** All cells, or of many classes those with rows, the most frequent first. */
function mistakes(names: readonly string[], cells: readonly Cell[]) {
  const most = MAX_TABLE_CLASSES ** 2;
  const isWhole = cells.length <= most;
  const listed = isWhole ? cells : byCount(cells).slice(0, most);
  return {
    rows: listed.map(({ actual, predicted, count, share }) => [
      names[actual],
      names[predicted],
      countText(count),
      percentOf(share),
    ]),
    ...(!isWhole && { note: 'The most frequent pairs of classes.' }),
  };
}

function spoken(names: readonly string[], cells: readonly Cell[]): string {
  const [worst] = byCount(cells.filter(({ actual, predicted }) => actual !== predicted));
  return worst === undefined
    ? 'No row is predicted wrongly.'
    : `The most frequent mistake: ${names[worst.actual]} predicted as ${names[worst.predicted]}, in ${countedText(worst.count, 'row')}.`;
}
