import { timeoutOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';
import { withServiceOf } from '../open-service.ts';
import { printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';

/** Prints a report for people, or with --json the response of the service. */
export async function run(context: Context): Promise<number> {
  const id = String(context.flags.id);
  const { timeout } = resolveValues(timeoutOption, context.flags);
  const report = await withServiceOf(context, { command: 'report', timeout }, service => service.report(id));
  const text =
    context.flags.json === true ? `${JSON.stringify(report, null, 2)}\n` : describeReport(id, report);
  await printText(text);
  return ExitCode.done;
}
