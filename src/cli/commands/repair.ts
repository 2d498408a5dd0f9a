import { repairOptions } from '../../config/options/repair.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { counted, countOf } from '../../library/numbers.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { repair } from '../../repair/repair.ts';
import { recordRepair, versionOf } from '../../runs/files/run-ledger.ts';
import { Interrupted } from '../../scoring/stop.ts';
import type { Context } from '../context.ts';
import { onSignals } from '../signals.ts';

/** Puts corrected and scored rejects back into their places. */
export async function run({ flags, log }: Context): Promise<number> {
  const values = resolveValues(repairOptions, flags);
  const [output, corrected] = [String(flags.output), String(flags.corrected)];
  const signals = onSignals({ onFirst: () => {}, onSecond: () => {} });
  const stop = signals.first;
  try {
    const before = await versionOf(output);
    const rows = await repair({ ...values, output, corrected, stop }).catch(error => {
      throw stop.aborted ? new Interrupted(stop) : error;
    });
    const { placed, already, left } = rows;
    await recordRepair(output, before, left);
    const parts = [
      `${countOf(placed, 'row')} repaired in ${output}`,
      ...(already > 0 ? [`${counted(already)} repaired before`] : []),
      left > 0 ? `${counted(left)} still rejected` : 'no rejects are left',
    ];
    log.info({ event: 'repaired', rows }, parts.join(', '));
    return left === 0 ? ExitCode.done : ExitCode.someRejected;
  } finally {
    signals.end();
  }
}
