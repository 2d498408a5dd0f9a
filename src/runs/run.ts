import type { JobValues, RunValues } from '../base/options/values/run-values.ts';
import type { Formats } from '../formats/formats.ts';
import type { ReadOptions } from '../formats/read-options.ts';
import type { ShardInput } from '../scoring/prepare.ts';
import type { OpenScorer } from '../scoring/scorer.ts';
import type { Backends } from '../storage/backends.ts';
import type { Identity, Source } from '../storage/source.ts';
import type { EarlierFigures } from './drift/compare.ts';
import type { TotalTally } from './drift/data-tally.ts';
import type { LeastRows, RejectBudget } from './guards/reject-budget.ts';
import type { EarlyEnd, InputWaitOptions } from './input-wait.ts';
import type { RequestWatch, RunObserver } from './observer.ts';
import type { RunPathsOptions } from './paths/run-paths.ts';
import type { PlannedEarlier } from './reuse/made-by.ts';
import type { RunControl } from './run-control.ts';
import type { LastRun } from './summary/last-run.ts';
import type { RunMemory, RunNames } from './summary/summary.ts';

/** What options and definition say of a run, or of several with an output each. */
export interface RunJob {
  readonly values: JobValues;
  /** The inputs that are files, as given: paths, `-` for stdin, patterns. */
  readonly inputs: readonly string[];
  /** Whether each input is a run of its own, with an output that a pattern names, in a folder with a ledger. */
  readonly isMany: boolean;
  readonly names: RunNames;
  /** The paths of the run, if it has a single input. */
  readonly paths: RunPathsOptions;
  /** What the names of its files belong to, with the stores as the options have them. */
  readonly backends: Backends;
  /** The output with the variables that a definition has in its name, if it has any. */
  readonly outputAsWritten?: string | undefined;
}

/**
 * A run before it has opened or locked anything; it never changes. `executeRun` executes it, and the stages of scoring
 * take what they need from it, as a `ScoredRun`.
 */
export interface Run extends Pick<RunJob, 'names' | 'paths'> {
  /** The options, and limits that only some runs have. */
  readonly values: RunValues & Pick<ReadOptions, 'maxColumns' | 'maxFooterBytes'>;
  /** Opens what predicts, once the files are locked. */
  openScorer(requests: RequestWatch): Promise<OpenScorer>;
  /** Opens the input, unless it is the file or the stdin that `values.input` names. */
  readonly openInput?: (() => Promise<Source>) | undefined;
  /** The formats that the input may have, if they are not the default ones. */
  readonly formats?: Formats;
  /** Called in this order; the file of the summary is the last of those that are written. */
  readonly observers: readonly RunObserver[];
  readonly control: RunControl;
  /** Where the last good run of the output is known from, if it is. */
  readonly memory?: RunMemory | undefined;
  /** What several runs have in common. */
  readonly shared?: SharedByRuns | undefined;
  /** The part of the input to score, if the run is a shard. */
  readonly shard?: RunShard | undefined;
  /** Whether to count everything that a summary has, even if the options name no summary. */
  readonly isDetailed?: boolean;
  /** Maximum bytes in flight, if not the default ones, which are for a service. */
  readonly windowBytes?: number;
  /** How it is looked whether the input is there and complete, if not as by default. */
  readonly wait?: Pick<InputWaitOptions, 'stableMs' | 'lookMs' | 'begun' | 'hasArrived'>;
  /** Backends of the names of its files, if they are not the default ones. */
  readonly backends?: Backends | undefined;
}

/** What several runs have in common. */
interface SharedByRuns {
  readonly budget?: RejectBudget;
  readonly total?: TotalTally;
  /** The run to compare with, if it was looked for already. */
  readonly earlier?: EarlierFigures | undefined;
  /** The fewest rows of a run that is the only one. */
  readonly least?: LeastRows;
  /** The last good run of all of them; null for a run whose input is not compared with theirs. */
  readonly last?: Pick<LastRun, 'finished_at' | 'digests'> | null;
}

/** What was found out about a shard when its run was planned. */
interface RunShard extends ShardInput {
  /** The hash that the report's description must have. */
  readonly reportHash: string;
  /** Throws if the input is not the one that was planned, as far as only its format knows. */
  readonly checkInput: (input: Identity) => void;
  /** The outputs of --reuse. */
  readonly earlier?: readonly PlannedEarlier[] | undefined;
}

/** The names of a run that no command makes. */
export const plainNames = (names: Pick<RunNames, 'input' | 'output' | 'report'>): RunNames => ({
  version: null,
  ...names,
  rejects: null,
  hasNamedRejects: false,
  options: {},
});

/**
 * Whether the input can be read again, and waited for. A stream has no name by which that could be done, and whoever
 * scores shards has waited for all of them.
 */
export const isReadAgain = ({ openInput, shard }: Pick<Run, 'openInput' | 'shard'>): boolean =>
  openInput === undefined && shard === undefined;

/** What the run does about an input that ends too early. */
export const earlyEndOf = (run: Run): EarlyEnd => {
  const { waitForInput, readyFile } = run.values;
  return { waitForInput, readyFile, isReadAgain: isReadAgain(run) };
};
