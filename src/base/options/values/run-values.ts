import type { batchOptions } from '../pace.ts';
import type { scoreOptions } from '../score.ts';
import type { Values } from './resolve-options.ts';

/** The options of a scoring run, with all defaults filled in: those of the table, and what is read. */
export type RunValues = Omit<Values<typeof scoreOptions & typeof batchOptions>, 'report'> & {
  /** A path or `-` for stdin. */
  input: string;
  /** Report id. */
  report: string;
  /** Whether an unfinished run is set aside if its report was trained again, because it can never be resumed. */
  restartIfRetrained?: boolean | undefined;
};
