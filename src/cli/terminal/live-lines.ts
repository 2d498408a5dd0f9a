import type { createLogUpdate } from 'log-update';
import { sanitize } from '../../base/sanitize.ts';

/** What is in progress; undefined while there is nothing to show. */
export type LineSource = () => ProgressLine | undefined;

const REDRAW_MS = 250;

/** The lines at the end of the terminal that are redrawn: one for each file in progress, and one for all. */
class LiveLines {
  readonly #stream: NodeJS.WriteStream;
  /** A line replaces one that was closed, so that the others do not move. */
  readonly #lines: (LineSource | undefined)[] = [];
  #total: LineSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #draw: ReturnType<typeof createLogUpdate> | undefined;
  #drawn: readonly string[] = [];

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /**
   * Shows a line from the next frame on.
   *
   * @param isTotal whether it comes last, and stays if only one fits
   * @returns closes it
   */
  open(source: LineSource, isTotal = false): () => void {
    const free = this.#lines.indexOf(undefined);
    const index = free === -1 ? this.#lines.length : free;
    if (isTotal) this.#total = source;
    else this.#lines[index] = source;
    this.#start();
    return () => {
      if (isTotal) this.#total = undefined;
      else if (this.#lines[index] === source) this.#lines[index] = undefined;
      if (this.#sources().length === 0) this.#stop();
    };
  }

  /** Writes text that stays, above the lines. */
  writeAbove(text: string): void {
    const isDrawn = this.#drawn.length > 0;
    if (isDrawn) this.#clear();
    this.#stream.write(text);
    if (isDrawn) this.#redraw();
  }

  #sources(): LineSource[] {
    return [...this.#lines, this.#total].filter(source => source !== undefined);
  }

  /** Loads what draws when there is something to draw. If that fails, nothing is drawn. */
  #start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#redraw(), REDRAW_MS).unref();
    if (this.#draw !== undefined) return;
    import('log-update').then(
      ({ createLogUpdate }) => {
        // Hiding the cursor would need handlers of signals that show it again.
        this.#draw = createLogUpdate(this.#stream, { showCursor: true });
      },
      () => {},
    );
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #redraw(): void {
    if (this.#draw === undefined) return;
    const lines = this.#sources()
      .map(source => source())
      .filter(line => line !== undefined);
    if (lines.length === 0 || this.#wrapped() > 0) this.#clear();
    if (lines.length === 0) return;
    this.#drawn = layOutLines(lines, this.#size());
    this.#draw(this.#drawn.join('\n'));
  }

  #clear(): void {
    if (this.#drawn.length === 0) return;
    const wrapped = this.#wrapped();
    this.#draw?.clear();
    // Up by so many rows, and erased from there on; to load node:readline for it would take a tenth of the help's time.
    if (wrapped > 0) this.#stream.write(`\x1b[${wrapped}A\x1b[0J`);
    this.#drawn = [];
  }

  /** The additional rows that the lines take since the terminal became narrower. */
  #wrapped(): number {
    const { columns } = this.#size();
    return this.#drawn.reduce((sum, { length }) => sum + Math.max(0, Math.ceil(length / columns) - 1), 0);
  }

  #size(): TerminalSize {
    const { columns, rows } = this.#stream;
    // A terminal without a size, such as that of some job runners, says 0.
    return { columns: columns || 80, rows: rows || 24 };
  }
}

const ofStreams = new WeakMap<NodeJS.WriteStream, LiveLines>();

/** The live lines of stderr, which all logs of a process share. */
export function liveLines(): LiveLines {
  const { stderr } = process;
  const lines = ofStreams.get(stderr) ?? new LiveLines(stderr);
  ofStreams.set(stderr, lines);
  return lines;
}

/** A line of progress. */
export interface ProgressLine {
  /** What it is about, if there are several lines. */
  name?: string | undefined;
  /** In order of importance. In several lines, those of the same index are aligned; an empty one leaves a gap. */
  cells: readonly string[];
}

interface TerminalSize {
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
  const width = columns - 1;
  const nameWidth = Math.min(Math.floor(width * MAX_NAME_SHARE), Math.max(0, ...names.map(widthOf)));
  const nameCells = nameWidth === 0 ? [] : names.map(name => fitName(name, nameWidth));
  const widths = cellWidths(chosen, nameWidth === 0 ? width + GAP.length : width - nameWidth);
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
 * @param available columns for the cells, with a gap before each
 */
function cellWidths(lines: readonly ProgressLine[], available: number): number[] {
  let left = available;
  const count = Math.max(0, ...lines.map(({ cells }) => cells.length));
  return Array.from({ length: count }, (_, index) => {
    const width = Math.max(...lines.map(({ cells }) => cells[index]?.length ?? 0));
    const isFirst = left === available;
    const used = isFirst ? Math.min(width, Math.max(0, left - GAP.length)) : width;
    if (used === 0 || used + GAP.length > left) return 0;
    left -= used + GAP.length;
    return used;
  });
}

/** Cuts the beginning of a name, because the end of a path says more. */
function fitName(name: string, width: number): string {
  const ellipsis = widthOf(name) > width ? '…' : '';
  const characters = [...name];
  let free = width - ellipsis.length - widthOf(name);
  while (free < 0) free += widthOf(characters.shift() ?? '');
  return `${ellipsis}${characters.join('')}${' '.repeat(free)}`;
}

/**
 * An upper bound of the columns that a text takes on a terminal: many characters from U+1100 on take two. The tables
 * that tell exactly take as long to load as Node takes to start.
 */
const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2), 0);
