import { counted, countOf } from '../../base/number-text.ts';
import { uploadFormatOption } from '../../base/options/input.ts';
import { outputOptions } from '../../base/options/output.ts';
import { idleTimeoutOption, reportOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { reportOf } from '../../library/runs-of.ts';
import { serviceFiles } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { transferFile } from '../../runs/transfer-file.ts';
import { stdout } from '../../storage/streams.ts';
import { checkStdout } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { definedService } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';
import { nameReport } from '../score/log-run.ts';
import { untilStopped } from '../signals.ts';
import { openProgress, transferReport } from '../terminal/progress.ts';

/** Has the service score a whole file in one request. */
export async function run(given: Context): Promise<number> {
  const context = await definedService(given);
  const { flags, defined, log } = context;
  const { output, inputFormat, idleTimeout } = resolveValues(
    { ...idleTimeoutOption, ...uploadFormatOption, output: outputOptions.output },
    flags,
  );
  const reads = serviceFiles(context);
  const report = reportOf(resolveValues(reportOption, flags, defined));
  const input = String(flags.input ?? '-');
  if (output === '-') checkStdout([stdout]);
  return withServiceOf(context, { command: 'batch-predict', timeout: idleTimeout }, async service => {
    const progress = openProgress(context, { output });
    const [from, to] = [input === '-' ? 'stdin' : input, output === '-' ? 'stdout' : output];
    log.info({ event: 'upload_started', report }, `sending ${from} to ${nameReport(report, service)}`);
    try {
      const rows = await untilStopped(log, { stopping: 'stopping; the output is discarded' }, stop => {
        stop.addEventListener('abort', () => progress.close());
        return transferFile({ input, output, report, inputFormat, reads }, service, {
          stop,
          onProgress: (transfer, share) => progress.show(seconds => transferReport(transfer, share, seconds)),
        });
      });
      progress.close();
      const rejected = rows.rejected === 0 ? '' : `, ${counted(rows.rejected)} rejected`;
      const seconds = progress.seconds();
      log.info(
        { event: 'upload_finished', ...rows, seconds },
        `${countOf(rows.scored, 'row')} scored${rejected} in ${seconds.toFixed(1)} s, to ${to}`,
      );
      const { mismatched = 0, unseen = 0 } = rows;
      if (mismatched + unseen > 0)
        log.warn(
          { event: 'unknown_values', mismatched, unseen },
          `values that the model does not know count as missing or rare: ${unknownText(mismatched, unseen)}`,
        );
      return rows.rejected === 0 ? ExitCode.done : ExitCode.someRejected;
    } finally {
      progress.close();
    }
  });
}

/** For example `1 is not of its column's type, 2,000 are unknown categories`. */
function unknownText(mismatched: number, unseen: number): string {
  const parts: string[] = [];
  if (mismatched === 1) parts.push("1 is not of its column's type");
  else if (mismatched > 1) parts.push(`${counted(mismatched)} are not of their column's type`);
  if (unseen === 1) parts.push('1 is an unknown category');
  else if (unseen > 1) parts.push(`${counted(unseen)} are unknown categories`);
  return parts.join(', ');
}
