import { readSync, writeSync } from 'node:fs';
import { newRowCounts, type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import { openUnnamed } from '../../storage/local/unnamed-file.ts';
import type { RunObserver, RunProgress, RunView } from '../observer.ts';
import type { Summaries, Summary } from '../summary/summary.ts';
import { addSamples, noSample, type TimelineSample } from '../summary/timeline.ts';

/** How far some of the files are. */
interface Stage {
  rowCounts: RowCounts;
  /** Bytes of inputs that are done. */
  bytes: number;
  /** What this process did not do: skipped files, and what was done before a resume. */
  before: { read: number; bytes: number };
}

/** A run that has not ended. */
interface OpenRun {
  readonly size: number;
  view: RunView | undefined;
  progress: Pick<RunProgress, 'fraction' | 'before'> | undefined;
  status: Summary['status'] | undefined;
}

/** How far the runs of several files are, together. */
export class RunsTotal {
  readonly #sizes: readonly number[];
  /** By index of the file. */
  readonly #open = new Map<number, OpenRun>();
  /** The summaries of the files that have ended, in their order. */
  readonly summaries = new KeptSummaries();
  #past: Stage = { rowCounts: newRowCounts(), bytes: 0, before: { read: 0, bytes: 0 } };
  #sampled = noSample;
  #ended = 0;
  #failed = 0;

  /** @param sizes of the inputs in bytes */
  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
  }

  /** Watches the run of one of the files. */
  of(index: number): RunObserver {
    const run: OpenRun = {
      size: this.#sizes[index] ?? 0,
      view: undefined,
      progress: undefined,
      status: undefined,
    };
    this.#open.set(index, run);
    return {
      begin: view => {
        run.view = view;
      },
      progress: now => {
        run.progress = now;
      },
      ended: summary => {
        run.status = summary.status;
        this.summaries.set(index, summary);
      },
    };
  }

  /** The file is done, whether its run was executed, skipped or refused. */
  end(index: number): void {
    const run = this.#open.get(index);
    if (run === undefined) return;
    this.#open.delete(index);
    this.#sampled = addSamples([this.#sampled, { ...(run.view?.sample() ?? noSample), inFlight: 0 }]);
    this.#ended++;
    const { status } = run;
    if (status === 'stopped' || status === 'refused') this.#failed++;
    const { rowCounts, before } = stageOf(run);
    const bytesBefore = status === 'skipped' ? run.size : before.bytes;
    const stage = { rowCounts, bytes: run.size, before: { read: before.read, bytes: bytesBefore } };
    this.#past = sumOfStages([this.#past, stage]);
  }

  /** Rows of the files that have ended. */
  get rowCounts(): RowCounts {
    return this.#past.rowCounts;
  }

  get files(): { total: number; ended: number; failed: number } {
    return { total: this.#sizes.length, ended: this.#ended, failed: this.#failed };
  }

  /** Bytes of all inputs. */
  get size(): number {
    return sumOfAll(this.#sizes);
  }

  /** What was done so far, of all files. */
  get stage(): Stage {
    return sumOfStages([this.#past, ...[...this.#open.values()].map(stageOf)]);
  }

  /** What was done so far, for a timeline. */
  sample(): TimelineSample {
    return addSamples([
      this.#sampled,
      ...[...this.#open.values()].map(({ view }) => view?.sample() ?? noSample),
    ]);
  }
}

/** The bytes of a compressed input count only when it has ended, because it is not known before how far it is. */
function stageOf({ view, progress, size }: OpenRun): Stage {
  const { fraction = 0, before } = progress ?? {};
  return {
    rowCounts: view?.rowCounts ?? newRowCounts(),
    bytes: size * fraction,
    before: { read: before?.read ?? 0, bytes: size * (before?.fraction ?? 0) },
  };
}

const sumOfStages = (stages: readonly Stage[]): Stage => ({
  rowCounts: sumOf(stages.map(({ rowCounts }) => rowCounts)),
  bytes: sumOfAll(stages.map(({ bytes }) => bytes)),
  before: {
    read: sumOfAll(stages.map(({ before }) => before.read)),
    bytes: sumOfAll(stages.map(({ before }) => before.bytes)),
  },
});

const sumOfAll = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** A summary as JSON: where it is in the file, or, if that cannot be written, its bytes. */
type Kept = { at: number; size: number } | Buffer;

/**
 * The summaries of the runs of several files, in the order of the files. There may be many thousands, each with figures
 * of all columns, so they are in a temporary file, and only the one that is read is in memory. The file has no name,
 * and ends with the process: a command scores several files once, and may tell of them until then.
 */
export class KeptSummaries implements Summaries {
  readonly #kept: Kept[] = [];
  #file: number | undefined;
  #size = 0;
  #isBroken = false;

  /** @param index of the file */
  set(index: number, summary: Summary): void {
    const bytes = Buffer.from(JSON.stringify(summary));
    this.#kept[index] = this.#written(bytes) ?? bytes;
  }

  /** How many there are. */
  get length(): number {
    return this.#kept.reduce(count => count + 1, 0);
  }

  *[Symbol.iterator](): Generator<Summary> {
    for (const kept of this.#kept) if (kept !== undefined) yield JSON.parse(this.#bytesOf(kept).toString());
  }

  toJSON(): Summary[] {
    return [...this];
  }

  /** @returns undefined if the file cannot be written, as on a read-only or full disk */
  #written(bytes: Buffer): Kept | undefined {
    if (this.#isBroken) return undefined;
    try {
      this.#file ??= openUnnamed();
      const at = this.#size;
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
      this.#size += bytes.length;
      return { at, size: bytes.length };
    } catch {
      this.#isBroken = true;
      return undefined;
    }
  }

  #bytesOf(kept: Kept): Buffer {
    if (Buffer.isBuffer(kept)) return kept;
    const bytes = Buffer.alloc(kept.size);
    for (let done = 0; done < kept.size; ) {
      const read = readSync(this.#file as number, bytes, done, kept.size - done, kept.at + done); // it is where it was written
      if (read === 0) throw new Error('the file of the summaries was cut off');
      done += read;
    }
    return bytes;
  }
}
