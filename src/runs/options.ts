import type { batchOptions } from '../config/options/pace.ts';
import type { scoreOptions } from '../config/options/score.ts';
import type { Values } from '../config/resolve-options.ts';
import type { History } from './checkpoint/checkpoint.ts';

/** The options of a scoring run, with all defaults filled in: those of the table, and what is read. */
export type ScoreOptions = Omit<Values<typeof scoreOptions & typeof batchOptions>, 'report'> & {
  /** A path or `-` for stdin. */
  input: string;
  /** Report id. */
  report: string;
  /** Whether an unfinished run is set aside if its report was trained again, because it can never be resumed. */
  restartIfRetrained?: boolean | undefined;
  /** What the report was trained from, if the command trains it again when that changes. */
  history?: History | undefined;
};
