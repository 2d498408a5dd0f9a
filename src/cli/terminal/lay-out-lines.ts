import { sanitize } from '../../base/sanitize.ts';

/** A line of progress. */
export interface ProgressLine {
  /** What it is about, if there are several lines. */
  name?: string | undefined;
  /** In order of importance. In several lines, those of the same index are aligned; an empty one leaves a gap. */
  cells: readonly string[];
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

const GAP = '  ';
/** Names take at most this share of a line. */
const MAX_NAME_SHARE = 1 / 3;

/**
 * Formats lines of progress for a terminal. Each takes one row of it, and together they leave one row free. Cells that
 * do not fit are left out; of lines that do not fit, the last one stays, which has the totals.
 */
export function layOutLines(lines: readonly ProgressLine[], { columns, rows }: TerminalSize): string[] {
  const chosen = chooseLines(lines, Math.max(1, rows - 1));
  const names = chosen.map(({ name }) => sanitize(name ?? ''));
  const room = columns - 1;
  const nameWidth = Math.min(Math.floor(room * MAX_NAME_SHARE), Math.max(0, ...names.map(widthOf)));
  const nameCells = nameWidth === 0 ? [] : names.map(name => fitName(name, nameWidth));
  const widths = cellWidths(chosen, nameWidth === 0 ? room + GAP.length : room - nameWidth);
  return chosen.map(({ cells }, line) => {
    const shown = widths.flatMap((width, index) =>
      width === 0 ? [] : [(cells[index] ?? '').slice(0, width).padStart(width)],
    );
    return [...nameCells.slice(line, line + 1), ...shown].join(GAP).trimEnd();
  });
}

function chooseLines(lines: readonly ProgressLine[], most: number): readonly ProgressLine[] {
  if (lines.length <= most) return lines;
  const total = lines.slice(-1);
  if (most < 3) return total;
  const hidden = lines.length - most + 1;
  return [...lines.slice(0, most - 2), { name: `and ${hidden} more`, cells: [] }, ...total];
}

/**
 * The width of each cell, zero for those that are left out.
 *
 * @param room for the cells, with a gap before each
 */
function cellWidths(lines: readonly ProgressLine[], room: number): number[] {
  let left = room;
  const count = Math.max(0, ...lines.map(({ cells }) => cells.length));
  return Array.from({ length: count }, (_, index) => {
    const width = Math.max(...lines.map(({ cells }) => cells[index]?.length ?? 0));
    const isFirst = left === room;
    const used = isFirst ? Math.min(width, Math.max(0, left - GAP.length)) : width;
    if (used === 0 || used + GAP.length > left) return 0;
    left -= used + GAP.length;
    return used;
  });
}

/** Cuts the beginning of a name, because the end of a path says more. */
function fitName(name: string, width: number): string {
  const mark = widthOf(name) > width ? '…' : '';
  const characters = [...name];
  let free = width - mark.length - widthOf(name);
  while (free < 0) free += widthOf(characters.shift() ?? '');
  return `${mark}${characters.join('')}${' '.repeat(free)}`;
}

/**
 * An upper bound of the columns that a text takes on a terminal: many characters from U+1100 on take two. The tables
 * that tell exactly take as long to load as Node takes to start.
 */
const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2), 0);
