import type { PredictionType } from '../../base/contract/predictions.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { unknownClasses } from '../../scoring/merge/held-records.ts';
import { type Plan, plannedPredictionType } from '../../scoring/prepare.ts';
import { stages } from '../../scoring/stages.ts';

/** Rows that are scored to find out what is predicted: one request, of which some rows may be rejected. */
const ROWS = 100;

/**
 * What is appended to the outputs: as options or report say, else as the predictions of an input's first rows do. All
 * shards need it, because only the first one has a header, and perhaps no row that is scored.
 *
 * @param planned of an input whose beginning was read; it is read on only if that is needed
 * @throws Interrupted
 * @throws RowcastError `unknown_classes` if none of its first rows is scored; `bad_option` for an option that such
 *   predictions do not have; of the service
 */
export async function predictedType(planned: Plan, stop: AbortSignal): Promise<PredictionType> {
  const known = plannedPredictionType(planned);
  if (known !== undefined) return known;
  const { options, layout, rest } = planned;
  const first = { ...planned, options: { ...options, limit: Math.min(options.limit ?? ROWS, ROWS) } };
  const stopping = { reading: stop, calling: stop };
  try {
    for await (const part of stages({}, first, { rest, start: layout.start, stop: stopping }))
      if (part.predictionType !== undefined) return part.predictionType;
  } catch (error) {
    throw stop.aborted ? new Interrupted(stop) : error;
  }
  throw stop.aborted ? new Interrupted(stop) : unknownClasses();
}
