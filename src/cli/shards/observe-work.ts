import type { Logger } from 'pino';
import { countOf } from '../../base/number-text.ts';
import type { WorkObserver } from '../../shards/work/attempt-shard.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';
import { openProgress, type ProgressContext } from '../terminal/progress.ts';

export type WatchedWork = ReturnType<typeof observeWork>;

/** Logs what a worker does. */
export function observeWork(context: ProgressContext & Pick<Context, 'onOutcome'>) {
  const progress = openProgress(context);
  let done = 0;
  let begun = performance.now();
  return {
    /** No shard is left for this worker. */
    finished: () =>
      context.log.info({ event: 'work_finished', shards: done }, `${countOf(done, 'shard')} scored`),
    close(): void {
      context.onOutcome?.({ shards: done });
      progress.close();
    },
    /** @param log of the run in this folder */
    observe: (log: Logger, { path: folder }: Pick<SharedFolder, 'path'>): WorkObserver => ({
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
