import { RowcastError } from '../base/errors.ts';
import type { RejectLimit } from '../base/options/values/reject-limit.ts';
import { sanitize } from '../base/sanitize.ts';
import type { Evaluation } from './evaluation.ts';

/** Limits of figures, as options give them. */
export interface FigureLimits {
  minAuc?: number | undefined;
  maxLogLoss?: number | undefined;
  /** A percentage. */
  maxCalibrationError?: RejectLimit | undefined;
}

/**
 * Checks limits of figures. A figure that is not known counts as beyond its limit: a gate that cannot be checked must
 * not open.
 *
 * @returns what to say; undefined if all are kept
 * @throws RowcastError `bad_option` for a limit that the kind of prediction does not have, or that is no percentage
 */
export function beyondLimits(
  evaluation: Evaluation,
  { minAuc, maxLogLoss, maxCalibrationError }: FigureLimits,
): string | undefined {
  const limits = [
    { figure: 'auc', title: 'AUC', option: '--min-auc', limit: minAuc, isLeast: true },
    {
      figure: 'log_loss',
      title: 'log loss',
      option: '--max-log-loss',
      limit: maxLogLoss,
      isLeast: false,
    },
    {
      figure: 'calibration_error',
      title: 'calibration error',
      option: '--max-calibration-error',
      limit: maxCalibrationError && shareOfLimit(maxCalibrationError),
      isLeast: false,
    },
  ];
  const beyond = limits.flatMap(({ limit, ...of }) =>
    limit === undefined ? [] : (textBeyond(evaluation, { ...of, limit }) ?? []),
  );
  return beyond.length === 0 ? undefined : beyond.map(sanitize).join('; ');
}

function shareOfLimit(limit: RejectLimit): number {
  if ('percent' in limit) return limit.percent / 100;
  throw new RowcastError('bad_option', '--max-calibration-error: expected a percentage, such as 5%');
}

interface FigureLimit {
  figure: string;
  title: string;
  option: string;
  limit: number;
  isLeast: boolean;
}

function textBeyond(
  { figures, kind }: Evaluation,
  { figure, title, option, limit, isLeast }: FigureLimit,
): string | undefined {
  const found = figures[figure];
  if (found === undefined)
    throw new RowcastError(
      'bad_option',
      `${option}: the predictions are ${kind === 'numbers' ? 'numbers' : 'labels'}, which have no such figure`,
      {
        hint: 'Leave it out: limits are for probabilities. --summary FILE has the figures, for a limit of your own.',
      },
    );
  const { value, low, high, reason = 'no row has a label' } = found;
  const isShare = figure === 'calibration_error';
  const text = (of: number): string =>
    isShare ? `${Number((100 * of).toPrecision(3))}%` : String(Number(of.toPrecision(4)));
  if (value === null) return `the ${title} is not known, so ${option} ${text(limit)} is not kept: ${reason}`;
  if (isLeast ? value >= limit : value <= limit) return undefined;
  const by = text(Math.abs(value - limit));
  const isIncluded = low !== null && high !== null && low <= limit && limit <= high;
  const interval =
    low === null || high === null
      ? ''
      : `; its interval, ${text(low)} to ${text(high)}, ${isIncluded ? 'includes the limit, so this may be chance' : 'does not include the limit'}`;
  return `the ${title} is ${text(value)}, ${by} ${isLeast ? 'below' : 'above'} ${option} ${text(limit)}${interval}`;
}
