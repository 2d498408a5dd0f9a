import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { RowcastError } from '../../base/errors.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { fileAccessOf } from '../../storage/local/access.ts';
import { replaceFileNow } from '../../storage/local/atomic-write.ts';
import { partialOf } from '../../storage/local/sibling-path.ts';
import type { Target } from '../../storage/target.ts';
import type { LockedTargets, RunObserver, RunView } from '../observer.ts';
import type { LockedOutput } from '../paths/lock-paths.ts';
import { type MetricLabels, type RunMetric, runMetrics } from '../summary/run-metrics.ts';
import type { Summary } from '../summary/summary.ts';

const isFull = (error: unknown): boolean => error instanceof RowcastError && error.code === 'disk_full';

/** A file that a run writes besides its rows, from its summary. */
interface ResultFile {
  target: Target;
  /** Its text, in parts: the summaries of many files are large. */
  text(summary: Summary): Iterable<string>;
  release?(): Promise<void>;
}

/**
 * Writes a result file when the run begins and when it has ended. A pipe or device gets only the end. A process that is
 * about to end cannot write an object.
 *
 * @param open locks the file; undefined if there is none
 */
export function resultFile(
  open: (run: RunView, files: LockedTargets) => Promise<ResultFile | undefined>,
): Required<Pick<RunObserver, 'begin' | 'ended' | 'exiting' | 'close'>> {
  let file: ResultFile | undefined;
  return {
    async begin(run, files) {
      file = await open(run, files);
      if (file?.target.durable !== undefined)
        await writeWhole(file.target, file.text(run.state), AbortSignal.abort());
    },
    async ended(summary, stop) {
      if (file === undefined) return;
      const { target } = file;
      try {
        await writeWhole(target, file.text(summary), stop);
      } catch (error) {
        // The run is about to be stopped for it.
        if (summary.status === 'finished' || summary.status === 'skipped' || !isFull(error)) throw error;
        const { columns, scores, labels, drift, runs, ...facts } = summary;
        const few = { ...facts, columns: null, scores: null, labels: null, drift: null, runs: null };
        if (target.path === undefined || !overwriteNow(target.path, file.text(few))) throw error;
      }
    },
    exiting(summary) {
      const { path, isPrivate = false } = file?.target ?? {};
      if (file === undefined || path === undefined) return;
      try {
        writeFileNow(path, file.text(summary), isPrivate);
      } catch {
        // The process is ending, so nothing can be done about it.
      }
    },
    close: async () => file?.release?.(),
  };
}

/** What is written at once. */
const PART_BYTES = 1 << 16;

/**
 * Writes a file atomically; a pipe or device is written directly.
 *
 * @param text in parts
 * @param stop aborts waiting for a reader of a FIFO
 * @throws RowcastError `unwritable_output`
 */
export async function writeWhole(target: Target, text: Iterable<string>, stop: AbortSignal): Promise<void> {
  const sink = await target.open(stop);
  try {
    let part = '';
    for (const more of text) {
      part += more;
      if (part.length < PART_BYTES) continue;
      await sink.write(Buffer.from(part));
      part = '';
    }
    if (part !== '') await sink.write(Buffer.from(part));
    await sink.close();
  } catch (error) {
    // What a full disk cut off is of no use.
    await sink.abandon().catch(() => {}); // the first error is reported
    throw error;
  }
}

/**
 * Writes over a small file where it is, for a disk that is full: it takes no more than what the file has already.
 *
 * @returns false if it has too little, or cannot be written
 */
function overwriteNow(path: string, text: Iterable<string>): boolean {
  const bytes = codecOfName(path).compressNow(Buffer.from([...text].join('')));
  try {
    const file = openSync(path, 'r+');
    try {
      if (bytes.length > 512 * fstatSync(file).blocks) return false;
      writeSync(file, bytes, 0, bytes.length, 0);
      ftruncateSync(file, bytes.length);
      fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // the reason for which it could not be replaced is reported
  }
}

/**
 * Writes a small file synchronously, for a process that is about to end. It does not mix with an asynchronous write of
 * the same file that is still in progress.
 *
 * @throws what fs throws
 */
function writeFileNow(path: string, text: Iterable<string>, isPrivate: boolean): void {
  const access = fileAccessOf(path, isPrivate);
  const bytes = codecOfName(path).compressNow(Buffer.from([...text].join('')));
  replaceFileNow(path, bytes, { next: partialOf(path), access });
}

/** Writes the file of --metrics. */
export const metricsFile = (lock: () => Promise<LockedOutput>): RunObserver =>
  resultFile(async () => ({
    ...(await lock()),
    text: summary => [openMetricsText('rowcast_run', runMetrics(summary))],
  }));

/** Metrics in the OpenMetrics text format, for the textfile collector of a node exporter; `of` begins all names. */
export const openMetricsText = (of: string, metrics: readonly RunMetric[]): string =>
  `${metrics.map(metric => familyText(of, metric)).join('')}# EOF\n`;

/** The units at the end of a name, as OpenMetrics has them; the name of bytes is their unit. */
const suffixes: Partial<Record<RunMetric['unit'], string>> = { s: '_seconds', '1': '_ratio' };

/** Nothing if no value is known. */
function familyText(of: string, { name, unit, help, samples }: RunMetric): string {
  if (samples.length === 0) return '';
  const family = `${of}_${name}${suffixes[unit] ?? ''}`;
  const lines = samples.map(({ labels, value }) => `${family}{${labelsText(labels)}} ${value}\n`);
  return `# TYPE ${family} gauge\n# HELP ${family} ${help}\n${lines.join('')}`;
}

const labelsText = (labels: MetricLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');

/** Writes the file of --lineage. */
export const lineageFile = (lock: () => Promise<LockedOutput>): RunObserver =>
  resultFile(async run => {
    // Loaded only when it is needed.
    const { lineageText } = await import('./lineage/run-events.ts');
    return { ...(await lock()), text: summary => lineageText(summary, run.columnsOf) };
  });
