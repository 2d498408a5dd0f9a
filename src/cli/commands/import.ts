import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { importOptions } from '../../base/options/train.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import type { Iterations } from '../../models/imported/imported-model.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { importReport, readCategories } from '../../training/imported/import-report.ts';
import { warnOfHome } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { printJson, printText } from '../terminal/print.ts';
import { describeReport } from '../terminal/report-text.ts';

/** Makes a report of a model that another library trained, and prints what it is. */
export async function run(context: Context): Promise<number> {
  const { flags, log } = context;
  const values = resolveValues(importOptions, flags);
  const { report: id = '', iterations, categories = [], ...choices } = values;
  const home = homeOf(context);
  await warnOfHome(context, home);
  const { report, isSkipped } = await importReport({
    ...choices,
    file: String(flags.model ?? ''),
    id,
    home,
    iterations: iterations === undefined ? undefined : iterationsOf(iterations),
    categories: await readCategories(categories),
  });
  if (isSkipped)
    log.info({ event: 'import_skipped', report: id }, `report ${id} already exists; import skipped`);
  else for (const note of report.notes) log.info({ event: 'import_note' }, sanitize(note));
  if (!isSkipped)
    for (const { code, message } of report.warnings) log.warn({ event: 'import_warning', code }, message);
  const { compared } = report.imported_from;
  if (!isSkipped && compared !== undefined)
    log.info(
      { event: 'import_compared', ...compared },
      `compared ${countOf(compared.rows, 'row')} with the library: ${counted(compared.identical)} of ${counted(compared.numbers)} numbers are identical${compared.largest_difference === 0 ? '' : `; the largest difference is ${compared.largest_difference}, in the last place`}`,
    );
  if (flags.json === true) await printJson(report, 2);
  // Notes and warnings were logged, and who imports a model knows where it comes from.
  else await printText(describeReport(id, { ...report, warnings: [], imported_from: undefined }));
  return ExitCode.done;
}

function iterationsOf(text: string): Iterations {
  if (text === 'best' || text === 'all') return text;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new RowcastError(
    'usage',
    `--iterations: "${sanitize(text)}" is neither best, all nor a number from 1 on`,
  );
}
