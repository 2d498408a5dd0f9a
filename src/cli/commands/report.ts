import { timeoutOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { definedService, namedReport } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';
import { printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';

/** Prints a report for people, or with --json the response of the service. */
export async function run(context: Context): Promise<number> {
  const defined = await definedService(context);
  const id = namedReport('report', context, defined);
  const { timeout } = resolveValues(timeoutOption, context.flags, defined);
  const asked = { command: 'report', timeout, defined };
  const report = await withServiceOf(context, asked, service => service.report(id));
  const text =
    context.flags.json === true ? `${JSON.stringify(report, null, 2)}\n` : describeReport(id, report);
  await printText(text);
  return ExitCode.done;
}
