import { RowcastError } from '../../base/errors.ts';
import type { Target } from '../../storage/target.ts';
import type { LockedTargets, RunObserver, RunView } from '../observer.ts';
import type { Summary } from '../summary/summary.ts';
import { overwriteNow, writeFileNow, writeWhole } from './write-whole.ts';

const isFull = (error: unknown): boolean => error instanceof RowcastError && error.code === 'disk_full';

/** A file that a run writes besides its rows, from its summary. */
export interface ResultFile {
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
        const { columns, scores, drift, runs, ...facts } = summary;
        const few = { ...facts, columns: null, scores: null, drift: null, runs: null };
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
