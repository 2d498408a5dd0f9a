import type { PredictionType } from '../base/contract/predictions.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import type { Formats } from '../formats/formats.ts';
import type { ReadOptions } from '../formats/read-options.ts';
import type { InputRange } from '../formats/records/position.ts';
import type { OpenScorer } from '../scoring/scorer.ts';
import type { Backends } from '../storage/backends.ts';
import type { Identity, Source } from '../storage/source.ts';
import type { EarlierFigures } from './drift/earlier-figures.ts';
import type { TotalTally } from './drift/total-tally.ts';
import type { LeastRows } from './guards/min-rows.ts';
import type { RejectBudget } from './guards/reject-budget.ts';
import type { InputWaitOptions } from './input-wait.ts';
import type { RunObserver } from './observer.ts';
import type { RunPathsOptions } from './paths/run-paths.ts';
import type { RunControl } from './run-control.ts';
import type { LastRun, RunMemory } from './summary/last-run.ts';
import type { RunNames } from './summary/summary.ts';
import type { RequestWatch } from './watch.ts';

/** A run that has touched nothing yet. `executeRun` executes it. */
export interface Run {
  names: RunNames;
  /** The options with all defaults, and those that only some runs have. */
  options: RunValues & Pick<ReadOptions, 'maxColumns' | 'maxFooterBytes'>;
  paths: RunPathsOptions;
  /** Opens what predicts, once the files are locked. */
  openScorer(requests: RequestWatch): Promise<OpenScorer>;
  /** Opens the input, unless it is the file or the stdin that `options.input` names. */
  openInput?: () => Promise<Source>;
  /** The formats that the input may have, if not the default ones. */
  formats?: Formats;
  /** Told in this order; the file of the summary is the last of those that are written. */
  observers: readonly RunObserver[];
  control: RunControl;
  /** Where the last good run of the output is known from, if it is. */
  memory?: RunMemory | undefined;
  /** What several runs have in common. */
  shared?: {
    budget?: RejectBudget;
    total?: TotalTally;
    earlier?: EarlierFigures | undefined;
    /** The fewest rows of a run that is the only one. */
    least?: LeastRows;
    /** The last good run of all of them; null for a run whose input is not compared with theirs. */
    last?: Pick<LastRun, 'finished_at' | 'digests'> | null;
  };
  /** The part of the input to score, if the run is a shard, and what was found out about the report for all shards. */
  part?: {
    range: InputRange | undefined;
    /** The hash that the report's description must have. */
    reportHash: string;
    predictionType?: PredictionType | undefined;
    /** Throws if the input is not the one that was planned, as far as only its format knows. */
    checkInput: (input: Identity) => void;
  };
  /** Whether to count everything that a summary has, even if the options name no summary. */
  isDetailed?: boolean;
  /** Maximum bytes in flight, if not the default ones, which are for a service. */
  windowBytes?: number;
  /** How it is looked whether the input is there and complete, if not by the default. */
  wait?: Pick<InputWaitOptions, 'stableMs' | 'lookMs' | 'begun' | 'hasArrived'>;
  /** Backends of the names of its files, if not the default ones. */
  backends?: Backends | undefined;
}
