import { numbersText, testedText } from '../../base/contract/imported-facts.ts';
import { sanitize } from '../../base/sanitize.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { type ListedReport, listReports } from '../../models/store/report-store.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { Context } from '../context.ts';
import { alignColumns, printJson, printText } from '../terminal/print.ts';

/** Lists the local reports, including damaged ones. */
export async function run(context: Context): Promise<number> {
  const { flags, env, log } = context;
  const home = homeOf(context);
  if (env.ROWCAST_URL && env.ROWCAST_URL !== LOCAL)
    log.info({ event: 'local_reports_only' }, 'these are the local reports; a service cannot list its own');
  const reports = await listReports(home);
  if (reports.length === 0)
    log.info({ event: 'no_reports' }, `no reports in ${home}; create one with rowcast train`);
  for (const { damage } of reports)
    if (damage !== undefined)
      log.warn({ event: 'damaged_report', code: damage.code }, sanitize(damage.message));
  if (flags.json === true) {
    const listed = reports.map(({ id, report, damage }) => ({
      id,
      predicts: report?.predicts ?? null,
      classes: report?.classes ?? null,
      numbers: (report && 'numbers' in report ? report.numbers : undefined) ?? null,
      testing_accuracy: report?.classes === undefined ? null : (testedText(report) ?? null),
      ...(report && 'testing_r2' in report.tech_specs && { testing_r2: report.tech_specs.testing_r2 }),
      damage: damage?.code ?? null,
    }));
    await printJson({ format: 1, reports: listed });
  } else if (reports.length > 0)
    await printText(
      alignColumns([['REPORT', 'PREDICTS', 'CLASSES', 'TESTING ACCURACY'], ...reports.map(rowOf)]),
    );
  return ExitCode.done;
}

function rowOf({ id, report }: ListedReport): string[] {
  if (report === undefined) return [id, '(damaged)'];
  const { predicts = '–', classes = [], tech_specs: specs } = report;
  const what = 'numbers' in report ? numbersText(report.numbers ?? []) : sanitize(classes.join(', '));
  return [id, sanitize(predicts), what, testedText(report) ?? `none: ${specs.algorithm}`];
}
