import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { InputRange } from '../../formats/records/position.ts';
import { countsAll } from '../../runs/drift/data-tally.ts';
import { executeRun } from '../../runs/execute-run.ts';
import type { RejectBudget } from '../../runs/guards/reject-budget.ts';
import type { RunObserver, RunResult } from '../../runs/observer.ts';
import { plainNames, type Run } from '../../runs/run.ts';
import type { RunControl } from '../../runs/run-control.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import type { Backends } from '../../storage/backends.ts';
import type { StoredExtent } from '../../storage/durable-output.ts';
import type { PlanFile, Shard } from '../folder/plan-shape.ts';
import { checkShardRows } from '../folder/read-run.ts';
import type { ShardResult } from '../folder/result-shape.ts';
import { checkFooter, openPlanned } from '../plan/make-plan.ts';

export interface ShardWork {
  shard: Shard;
  file: PlanFile;
  /** The hash that the report's description must have. */
  reportHash: string;
  /** What each prediction consists of. */
  predictionType: PredictionType | undefined;
  /** Path of the part to write. */
  part: string;
  /** The options of the plan, with the service and pace options of this worker. */
  options: Omit<RunValues, 'input'>;
  scorer: Scorer;
  budget: RejectBudget;
  observers: readonly RunObserver[];
  control: RunControl;
  /** Backends of the names of its files, if not the default ones. */
  backends: Backends | undefined;
}

/** What a shard has come to. */
export type ScoredShard = Pick<ShardResult, 'output' | 'rejects' | 'rowCounts' | 'tally'>;

/**
 * Scores a shard to its part, or resumes it.
 *
 * @throws RowcastError as `executeRun`; `input_changed`; `unbalanced`
 * @throws Interrupted
 */
export async function scoreShard(work: ShardWork): Promise<ScoredShard> {
  let result: RunResult | undefined;
  const keep: RunObserver = {
    scored(_, scored) {
      result = scored;
    },
  };
  await executeRun(runOfShard(work, keep));
  if (result === undefined) throw new TypeError('scoreShard: the part was skipped');
  checkShardRows(work.shard, result.rowCounts);
  const { rowCounts, tally = null, written } = result;
  if (written === undefined) throw new TypeError('scoreShard: the part is not a file');
  // Not as the files are by now: another program may have modified them.
  return { output: extentOf(written.output), rejects: extentOf(written.rejects), rowCounts, tally };
}

/** The run that scores a shard. It has no summary: that of the whole run is written when the parts are joined. */
function runOfShard(work: ShardWork, keep: RunObserver): Run {
  const { shard, file, part, reportHash, predictionType, scorer, budget, observers, control, backends } =
    work;
  const { private: isPrivate, encoding, report } = work.options;
  return {
    names: plainNames({ input: file.input, output: part, report }),
    values: {
      ...work.options,
      ...ofTheWhole,
      ...(isFirst(shard) && limitsOf(work.options)),
      input: file.input,
      output: part,
      reuse: file.reuse?.earlier.map(each => each.file),
    },
    // A folder that is gone was discarded with its run.
    paths: { input: file.input, output: part, private: isPrivate, hasFolders: true },
    openScorer: async () => ({ scorer, close: async () => {} }),
    openInput: () => openPlanned(file, encoding, backends),
    backends,
    observers: [...observers, keep],
    control,
    shared: { budget },
    shard: {
      range: rangeOf(shard),
      reportHash,
      predictionType,
      checkInput: identity => checkFooter(file, identity),
      earlier: file.reuse?.earlier,
    },
    isDetailed: countsAll(work.options),
  };
}

/** Options that concern the output as a whole. */
const ofTheWhole: Partial<RunValues> = {
  rejects: undefined,
  ifExists: 'replace',
  restart: false,
  restartIfChanged: false,
  checksum: false,
  maxRejects: undefined,
  maxMismatches: 'none',
  maxMissing: 'none',
  maxUnseen: 'none',
  maxDrift: undefined,
  compare: undefined,
  summary: undefined,
  summaryHtml: undefined,
  metrics: undefined,
  lineage: undefined,
};

/** Whether a single process would have read nothing of the input before this shard. */
const isFirst = ({ from }: Shard): boolean => from === null || from.row === 1;

/** The limits that a single process would apply to the same rows, so that a run over the wrong data stops early. */
const limitsOf = ({ maxMismatches, maxMissing, maxUnseen }: ShardWork['options']) => ({
  maxMismatches,
  maxMissing,
  maxUnseen,
});

/** The range of the shard; undefined if it is a whole input. */
function rangeOf({ from, to, is_last }: Shard): InputRange | undefined {
  if (from === null) return undefined;
  return { start: from, end: is_last ? undefined : to?.offset };
}

const extentOf = ({ bytes, tail, state, notes }: StoredExtent): ShardResult['output'] => ({
  bytes,
  tail,
  ...(state !== undefined && { state }),
  ...(notes !== undefined && { notes }),
});
