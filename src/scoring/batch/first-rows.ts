import type { Location } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import type { Layout } from '../../formats/format.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { CallError, type Failure } from '../failures/call-error.ts';
import type { BatchScorer, Failed, Scored } from '../scorer.ts';
import { countPersonas } from './join-predictions.ts';

interface FirstRowsOptions {
  scorer: BatchScorer;
  layout: Pick<Layout, 'slice'>;
  /** Name of the input, for messages. */
  file: string;
  signal: AbortSignal;
}

/** With this many rows that fail alike, the columns are at fault. */
const ROWS = 3;
/** Records that are looked at to find that many which can be sent. */
const MAX_TRIED = 30;

/**
 * Finds out why the first requests of a run fail, while no other request shows whether the service works: sends
 * different rows of a batch, each in a request of its own. If the service is ready and they fail in the same way, the
 * next ones would too: most model servers respond with 500 or 503 to a value that they cannot use.
 *
 * @throws CallError if three rows fail alike
 */
export async function checkFirstRows(batch: Batch, options: FirstRowsOptions): Promise<void> {
  const { scorer, layout, file, signal } = options;
  let first: { failure: Failure; part: Batch } | undefined;
  let alike = 0;
  for (const index of spread(batch.ends.length).slice(0, MAX_TRIED))
    for (const part of scorer.parts(layout.slice(batch, index, index + 1))) {
      const outcome = await scorer.tryPart({ batch: part, predictionType: undefined }, signal);
      if (countPersonas(part, outcome) === 0) continue;
      if ('predictions' in outcome) {
        scorer.retryPolicy?.availability.succeeded(performance.now(), true);
        return;
      }
      first ??= { failure: outcome.failure, part };
      if (!maySayColumns(scorer, outcome) || !isAlike(first.failure, outcome.failure)) return;
      if (++alike < ROWS) continue;
      if ((await scorer.isReady?.(signal)) === false) return;
      throw wrongColumns(first.failure).addLocation({
        file,
        line: first.part.start.line,
        row: first.part.start.row,
      });
    }
}

function maySayColumns({ retryPolicy }: BatchScorer, { failure: { kind, retryAfter } }: Failed): boolean {
  return retryPolicy?.table[kind].stopsIfFirstAlike === true && retryAfter === undefined;
}

const isAlike = (one: Failure, other: Failure): boolean =>
  one.status === other.status && one.code === other.code;

/** The failure, of which no retry is expected to succeed. */
const wrongColumns = (failure: Failure): CallError =>
  new CallError('rejected_request', failure.code, failure.message, {
    ...failure,
    hint:
      'Three different rows failed alike before any row was scored, so their columns or types are probably not those of ' +
      'the model. Compare them with the request that `rowcast plan --show-request` prints, and set --features or --types.',
  });

/** All indices below a number: the first, the last and the middle one before the others. */
function spread(count: number): number[] {
  const [middle, last] = [count >> 1, count - 1];
  return [...new Set([0, last, middle, ...Array.from({ length: count }, (_, index) => index)])];
}

/** After this many rows with the same failure, the next ones are expected to fail in the same way. */
const MIN_ALIKE = 3;

/**
 * Single rows that fail before any row is scored. If the first few fail in the same way, all others would too.
 *
 * @returns adds one; throws the CallError of the first row if all of the first few failures are the same
 */
export function firstRejects(): (failure: CallError) => void {
  const failures: CallError[] = [];
  return failure => {
    failures.push(failure);
    const ways = new Set(failures.map(({ status, code }) => `${status} ${code}`));
    if (ways.size > 1 || failures.length < MIN_ALIKE) return;
    // Concurrent single-row requests may fail out of order.
    const rowOf = ({ location }: CallError): number => location.row ?? Number.POSITIVE_INFINITY;
    throw failures.reduce((first, other) => (rowOf(other) < rowOf(first) ? other : first));
  };
}

/** With this many rows that are not sent for the same reason, the column is at fault. */
const MIN_ROWS = 3;

/**
 * Stops a run of which no row of the first batch was sent, because the values of the same column do not fit its type:
 * the next batches would be rejected as well.
 *
 * @param personas number of rows of the batch
 * @param location of the first one
 * @throws CallError `wrong_type`
 */
export function refuseWrongColumn(
  { predictions: { errors }, unsent = 0 }: Scored,
  personas: number,
  location: Location,
): void {
  const [first, ...others] = errors.values();
  if (first === undefined || unsent < MIN_ROWS || unsent < personas) return;
  if (first.code !== 'wrong_type' || others.some(({ message }) => message !== first.message)) return;
  throw new CallError(
    'rejected_request',
    'wrong_type',
    `in each of the first ${countOf(unsent, 'row')}, ${first.message}`,
    {
      location,
      hint: 'Check that the input is the right one, and give the type of the column with --types.',
    },
  );
}
