import type { createLogUpdate } from 'log-update';
import { layOutLines, type ProgressLine, type TerminalSize } from './lay-out-lines.ts';

/** What is in progress; undefined while there is nothing to show. */
export type LineSource = () => ProgressLine | undefined;

const REDRAW_MS = 250;

/** The lines at the end of the terminal that are redrawn: one for each file in progress, and one for all. */
class LiveLines {
  readonly #stream: NodeJS.WriteStream;
  /** A line takes the place of one that was closed, so that the others do not move. */
  readonly #places: (LineSource | undefined)[] = [];
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
   * @param isTotal whether it comes last, and stays if there is room for one only
   * @returns closes it
   */
  open(source: LineSource, isTotal = false): () => void {
    const free = this.#places.indexOf(undefined);
    const place = free === -1 ? this.#places.length : free;
    if (isTotal) this.#total = source;
    else this.#places[place] = source;
    this.#start();
    return () => {
      if (isTotal) this.#total = undefined;
      else if (this.#places[place] === source) this.#places[place] = undefined;
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
    return [...this.#places, this.#total].filter(source => source !== undefined);
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
