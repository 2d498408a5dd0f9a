import { RowcastError } from '../base/errors.ts';
import { SHORT_OUTAGE } from '../base/options/service.ts';
import type { Values } from '../base/options/values/resolve-options.ts';
import { newVerifiedRows, type VerifiedRows } from '../runs/verify/compare.ts';
import { rejectsWithRowcastError } from './as-rowcast-error.ts';
import { checkObject, pathOf, readGiven } from './options/given-values.ts';
import { type GivenVerifyOptions, verifyTable } from './options/library-options.ts';
import { predictAgain, sampleValues } from './predict-again.ts';
import type { ProgramScorer } from './scorer.ts';
import { withRunScorer } from './scorers/open-run-scorer.ts';
import { givenService } from './service/given-service.ts';
import { type FilesToVerify, verifyFiles } from './verify-files.ts';

/** Options of `verify`: the files, and what the run was told about the shape of its output. */
export interface VerifyOptions extends GivenVerifyOptions {
  /** The input of the run: a path, `-` for stdin, or the URL of a file or an object. */
  input: string | URL;
  /** Its finished output. */
  output: string | URL;
  /**
   * With `sample`, what predicts. By default the service at `url`, else the local reports in `home`. It is not closed.
   */
  scorer?: ProgramScorer | undefined;
}

/** Where two files do not match. */
export interface Difference {
  message: string;
  file: string | undefined;
  /** Line of the file, from 1. */
  line: number | undefined;
  /** Data row of the input, from 1. */
  row: number | undefined;
}

/** The result of `verify`. */
export interface Verification {
  /** Whether every row of the input is in the output exactly once, in order and unchanged, with a valid prediction. */
  agrees: boolean;
  /** The first difference, unless they agree. */
  difference?: Difference;
  /** Rows that were compared: all of them, or those before the difference. */
  rows: VerifiedRows;
  /** With `sample`, the rows that were predicted again and agree. */
  sampled?: number;
}

/**
 * Compares a finished output, and its rejects, with its input. Only with `sample` rows are predicted again. A
 * difference is no error.
 *
 * @throws RowcastError `no_such_file`, `unreadable_input`, `unfinished`, `bad_option` and the errors of a malformed
 *   input
 */
export function verify(options: VerifyOptions): Promise<Verification> {
  return rejectsWithRowcastError(async () => {
    checkObject('verify', options, 'input and output');
    const values = readGiven(verifyTable, { maxOutage: SHORT_OUTAGE, ...options }, [
      'input',
      'output',
      'scorer',
    ]);
    const [input, output] = [pathOf('input', options.input), pathOf('output', options.output)];
    const rows = newVerifiedRows();
    try {
      const sample = sampleOf(values, options.scorer);
      const { sampled } = await verifyFiles({ input, output, values, tally: rows, sample });
      return { agrees: true, rows, ...(sampled !== undefined && { sampled }) };
    } catch (error) {
      if (!(error instanceof RowcastError) || error.code !== 'difference') throw error;
      const { message, location } = error;
      const { file, line, row } = location;
      return { agrees: false, difference: { message, file, line, row }, rows };
    }
  });
}

/** @throws RowcastError `usage` without a report */
function sampleOf(
  values: Values<typeof verifyTable>,
  scorer: ProgramScorer | undefined,
): FilesToVerify['sample'] {
  const { sample: size, home = '.rowcast' } = values;
  if (size === undefined) return undefined;
  const run = sampleValues(values);
  const { signal: stop } = new AbortController();
  const opening = { scorer, values: run, given: givenService(run, home), stop };
  return { size, predict: predictAgain(run, use => withRunScorer(opening, use), stop) };
}
