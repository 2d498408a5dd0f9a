import type { Logger } from 'pino';
import { countOf } from '../../base/number-text.ts';
import type { WorkObserver } from '../../shards/work/attempt-shard.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { openProgress, type ProgressContext } from '../terminal/progress.ts';

/** Logs what a worker does. */
export interface WatchedWork {
  /** @param log of the run in this folder */
  observe(log: Logger, folder: Pick<SharedFolder, 'path'>): WorkObserver;
  /** Shards that this worker has finished. */
  readonly done: number;
  close(): void;
}

export function observeWork(context: ProgressContext): WatchedWork {
  const progress = openProgress(context);
  let done = 0;
  let begun = performance.now();
  return {
    get done() {
      return done;
    },
    close: () => progress.close(),
    observe: (log, { path: folder }) => ({
      onTake({ shard }, attempt, row) {
        begun = performance.now();
        const from = attempt === 1 ? '' : `, attempt ${attempt}`;
        log.info(
          { event: 'shard_started', folder, shard, attempt, row },
          `shard ${shard}: from row ${row}${from}`,
        );
        progress.show(() => ({ cells: [`shard ${shard}`, 'starting'], fields: { folder, shard } }));
      },
      onProgress({ shard }, { rowCounts }) {
        const rows = rowCounts.read;
        progress.show(() => ({
          cells: [`shard ${shard}`, countOf(rows, 'row')],
          fields: { folder, shard, rows },
        }));
      },
      onDone({ shard }, { rowCounts: { read, rejected } }) {
        done++;
        const seconds = (performance.now() - begun) / 1000;
        const rejects = rejected === 0 ? '' : `, ${rejected} rejected`;
        log.info(
          { event: 'shard_finished', folder, shard, rows: read, rejected },
          `shard ${shard}: ${countOf(read, 'row')}${rejects}, ${seconds.toFixed(1)} s`,
        );
      },
      onLost: ({ shard }) =>
        log.warn({ event: 'shard_lost', folder, shard }, `shard ${shard}: another worker has taken it over`),
      onFailed: ({ shard }, { code, message }) =>
        log.error({ event: 'shard_failed', folder, shard, code }, `shard ${shard}: ${message}`),
    }),
  };
}

/** An observer that tells another one too. */
export const observeBoth = (
  observer: WorkObserver,
  other: Pick<WorkObserver, 'within' | 'onProgress'> | undefined,
): WorkObserver =>
  other === undefined
    ? observer
    : {
        ...observer,
        ...other,
        onProgress(shard, progress) {
          observer.onProgress?.(shard, progress);
          other.onProgress?.(shard, progress);
        },
      };
