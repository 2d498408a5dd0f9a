import { stat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import { readLayout } from '../../formats/formats.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import { isInLedger } from './find-runs.ts';

/**
 * Checks that a file without a run is one that a run has finished: a ledger has it, its rejects are next to it, or its
 * columns are those of predictions. A finished run of a single file leaves nothing else.
 *
 * @throws RowcastError `not_an_output`
 */
export async function checkWritten(output: string, among?: Backends): Promise<void> {
  const isLocal = schemeOf(output) === undefined;
  if (isLocal && ((await hasRejects(output)) || (await isInLedger(output)))) return;
  if (await hasPredictions(output, among).catch(() => false)) return;
  throw new RowcastError(
    'not_an_output',
    'no run is known of this file, and it has no column of predictions',
    {
      location: { file: output },
      hint: 'Check the path: status takes the file that was given with -o, not the input.',
    },
  );
}

async function hasRejects(output: string): Promise<boolean> {
  for (const suffix of ['.rejects', '.repaired'])
    if ((await stat(`${output}${suffix}`).catch(() => undefined))?.isFile()) return true;
  return false;
}

/** Whether a column has a name that runs give, or the first record ends with probabilities. */
async function hasPredictions(output: string, among?: Backends): Promise<boolean> {
  const source = await openSource(output, false, undefined, among);
  try {
    const { layout, rest } = await readLayout(source, { maxRecordBytes: MAX_RECORD_BYTES });
    if (layout.names.some(name => /^(?:probability_|predicted_|prediction)/.test(name))) return true;
    const end = rest.indexOf('\n') + 1 || rest.length;
    const [first = []] = layout.textsOf(rest.subarray(0, end));
    // Without a header, its names are the fields of the first record.
    return [layout.names, first].some(endsWithProbabilities);
  } finally {
    source.close();
  }
}

/** A record of a million columns has about as much. */
const MAX_RECORD_BYTES = 16 << 20;

/** How much a sum of rounded probabilities may differ from 1. */
const TOLERANCE = 0.02;

function endsWithProbabilities(fields: readonly string[]): boolean {
  const numbers = fields.map(text =>
    /^(?:0|1|[01]\.\d+|\d\.?\d*e-\d+)$/.test(text) ? Number(text) : Number.NaN,
  );
  // After the probabilities, there may be the most likely class.
  return [numbers, numbers.slice(0, -1)].some(all => {
    let sum = 0;
    for (let at = all.length - 1; at >= 0; at--) {
      sum += all[at] ?? Number.NaN;
      if (!(sum < 1 + TOLERANCE)) return false;
      const isFraction = !Number.isInteger(all[at]);
      if (at < all.length - 1 && isFraction && sum > 1 - TOLERANCE) return true;
    }
    return false;
  });
}
