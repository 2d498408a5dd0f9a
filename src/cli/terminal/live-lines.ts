import type { createLogUpdate } from 'log-update';

/** The lines at the end of the terminal that are redrawn: one for each file in progress. */
export class LiveLines {
  readonly #stream: NodeJS.WriteStream;
  readonly #lines = new Map<object, string>();
  #draw: ReturnType<typeof createLogUpdate> | undefined;
  #isLoading = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** Shows or replaces the line of a file; the key is any object of its own. */
  set(key: object, line: string): void {
    this.#lines.set(key, line);
    if (this.#draw === undefined) this.#load();
    else this.#redraw();
  }

  remove(key: object): void {
    if (this.#lines.delete(key)) this.#redraw();
  }

  /** Writes text that stays, above the lines. */
  writeAbove(text: string): void {
    if (this.#lines.size > 0) this.#draw?.clear();
    this.#stream.write(text);
    if (this.#lines.size > 0) this.#redraw();
  }

  /** Loads what draws when there is something to draw. If that fails, nothing is drawn. */
  #load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    import('log-update').then(
      ({ createLogUpdate }) => {
        // Hiding the cursor would need handlers of signals that show it again.
        this.#draw = createLogUpdate(this.#stream, { showCursor: true });
        this.#redraw();
      },
      () => {},
    );
  }

  #redraw(): void {
    const { columns = 80, rows = 24 } = this.#stream;
    const lines = [...this.#lines.values()].slice(-Math.max(1, rows - 1));
    if (lines.length === 0) this.#draw?.clear();
    else this.#draw?.(lines.map(line => line.slice(0, columns - 1)).join('\n'));
  }
}

const ofStreams = new WeakMap<NodeJS.WriteStream, LiveLines>();

/** Those of stderr, which all logs of a process share. */
export function liveLines(): LiveLines {
  const { stderr } = process;
  const lines = ofStreams.get(stderr) ?? new LiveLines(stderr);
  ofStreams.set(stderr, lines);
  return lines;
}
