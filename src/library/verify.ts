import { verifyOptions } from '../config/options/verify.ts';
import { RowcastError } from '../errors.ts';
import { newTally, type Tally } from '../verify/compare.ts';
import { rejectsWithRowcastError } from './as-rowcast-error.ts';
import type { GivenVerifyOptions } from './options/given/verify-options.ts';
import { checkObject, readGiven } from './options/given-values.ts';
import { pathOf } from './options/path-of.ts';
import { verifyFiles } from './verify-files.ts';

/** Options of `verify`: the files, and what the run was told about the shape of its output. */
export interface VerifyOptions extends GivenVerifyOptions {
  /** The input of the run: a path, `-` for stdin, or a `file:` URL. */
  input: string | URL;
  /** Its finished output. */
  output: string | URL;
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
  /** Whether every row of the input is in the output exactly once, in order and unchanged, with valid probabilities. */
  agrees: boolean;
  /** The first difference, unless they agree. */
  difference?: Difference;
  /** Rows that were compared: all of them, or those before the difference. */
  rows: Tally;
}

/**
 * Compares a finished output, and its rejects, with its input, without asking the service. A difference is no error.
 *
 * @throws RowcastError `no_such_file`, `unreadable_input`, `unfinished`, `bad_option` and the errors of a malformed input
 */
export function verify(options: VerifyOptions): Promise<Verification> {
  return rejectsWithRowcastError(async () => {
    checkObject('verify', options, 'input and output');
    const values = readGiven(verifyOptions, options, ['input', 'output']);
    const [input, output] = [pathOf('input', options.input), pathOf('output', options.output)];
    const rows = newTally();
    try {
      await verifyFiles({ input, output, values, tally: rows });
      return { agrees: true, rows };
    } catch (error) {
      if (!(error instanceof RowcastError) || error.code !== 'difference') throw error;
      const { message, location: place } = error;
      const { file, line, row } = place;
      return { agrees: false, difference: { message, file, line, row }, rows };
    }
  });
}
