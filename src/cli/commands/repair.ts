import { Interrupted } from '../../base/interrupted.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { repairOptions } from '../../base/options/repair.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { repair } from '../../runs/repair/repair.ts';
import type { Context } from '../context.ts';
import { onSignals } from '../signals.ts';

/** Puts corrected and scored rejects back into their places. */
export async function run({ flags, log }: Context): Promise<number> {
  const values = resolveValues(repairOptions, flags);
  const [output, corrected] = [String(flags.output), String(flags.corrected)];
  const signals = onSignals({ onFirst: () => {}, onSecond: () => {} });
  const stop = signals.first;
  try {
    let how = '';
    const onComparison = (preserves: string): void => {
      how = preserves === 'values' ? ' by its values' : '';
    };
    const rows = await repair({ ...values, output, corrected, stop, onComparison }).catch(error => {
      throw stop.aborted ? new Interrupted(stop) : error;
    });
    const { placed, already, left } = rows;
    if (placed === 0 && left === 0) {
      log.info({ event: 'repaired', rows }, `${output}: nothing is left to repair${beforeText(already)}`);
      return ExitCode.done;
    }
    const parts = [
      `${countOf(placed, 'row')} repaired in ${output}${how}`,
      ...(already > 0 ? [`${counted(already)} repaired before`] : []),
      left > 0 ? `${counted(left)} still rejected` : 'no rejects are left',
    ];
    log.info({ event: 'repaired', rows }, parts.join(', '));
    return left === 0 ? ExitCode.done : ExitCode.someRejected;
  } finally {
    signals.end();
  }
}

const beforeText = (rows: number): string =>
  rows === 0 ? '' : `; ${countOf(rows, 'row')} ${rows === 1 ? 'was' : 'were'} repaired before`;
