import type { Batch } from '../../formats/records/batch.ts';
import type { BatchScorer, Scored, ScoredBatch } from '../scorer.ts';
import { joinParts } from './join-predictions.ts';

/**
 * The last stage at which predictions can be replaced. A batch whose response came on a connection that mixed up
 * responses is scored again; any other is about to be written.
 *
 * @param score scores a part
 */
export function confirmScored(
  scorer: Pick<BatchScorer, 'parts' | 'confirm'>,
  score: (part: Batch) => Promise<Scored>,
): (scored: ScoredBatch) => Promise<ScoredBatch> {
  const again = async (batch: Batch): Promise<Scored> => {
    const parts: ScoredBatch[] = [];
    for (const part of scorer.parts(batch)) parts.push({ ...(await score(part)), batch: part });
    return joinParts(parts);
  };
  return async scored => {
    const { batch } = scored;
    let confirmed = scored;
    while (!scorer.confirm(confirmed.predictions, batch.start.row))
      confirmed = { ...(await again(batch)), batch };
    return confirmed;
  };
}
