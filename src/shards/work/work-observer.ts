import type { RowcastError } from '../../base/errors.ts';
import type { RunProgress } from '../../runs/observer.ts';
import type { TraceBatch } from '../../scoring/scorer.ts';
import type { Shard } from '../folder/plan-shape.ts';
import type { ShardResult } from '../folder/result-shape.ts';
import type { ScoredShard } from './score-shard.ts';

/** What happens to the shards of a worker. */
export interface WorkObserver {
  onTake?: (shard: Shard, attempt: number, row: number) => void;
  /** Called with the scoring of a shard, to be done within something. @param use its parameter traces batches */
  within?: (
    attempt: { shard: Shard; attempt: number },
    use: (traceBatch: TraceBatch | undefined) => Promise<ScoredShard>,
  ) => Promise<ScoredShard>;
  onProgress?: (shard: Shard, progress: RunProgress) => void;
  onDone?: (shard: Shard, result: ShardResult) => void;
  /** Another worker has finished the shard, or has taken it over. */
  onLost?: (shard: Shard) => void;
  /** An error of the shard's input, which may not be that of other shards. */
  onFailed?: (shard: Shard, error: RowcastError) => void;
}
