import { timeoutOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { definedService, namedReport } from '../defined-by.ts';
import { withServiceOf } from '../open-service.ts';
import { printJson, printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';

/** Prints a report for people, or with --json the response of the service. */
export async function run(given: Context): Promise<number> {
  const context = await definedService(given);
  const id = namedReport('report', context);
  const { timeout } = resolveValues(timeoutOption, context.flags, context.defined);
  const report = await withServiceOf(context, { command: 'report', timeout }, service => service.report(id));
  if (context.flags.json === true) await printJson(report, 2);
  else await printText(describeReport(id, report));
  return ExitCode.done;
}
