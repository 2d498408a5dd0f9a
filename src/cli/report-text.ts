import type { LooseReport } from '../api/shapes.ts';
import { shown } from '../shown.ts';
import { alignColumns } from './print.ts';

/** A report in words: what it predicts, its tech specs, and its drivers with their impact as bars. */
export function describeReport(id: string, report: LooseReport): string {
  const { predicts, classes, tech_specs: specs, drivers } = report;
  const what = predicts === undefined ? '' : ` predicts ${shown(predicts)}`;
  const of = classes === undefined ? '' : `: ${shown(classes.join(', '))}`;
  const rows = Object.entries(specs).map(([name, spec]) => [
    `  ${shown(name).replaceAll('_', ' ')}`,
    shown(String(spec)),
  ]);
  const most = drivers.reduce((most, { impact }) => Math.max(most, impact), 0);
  const bars = drivers.map(({ column, impact }) => [
    `  ${shown(column)}`,
    `${(100 * impact).toFixed(1)} %`.padStart(7),
    '█'.repeat(Math.round(24 * (Math.max(0, impact) / most))),
  ]);
  return [
    `${id}${what}${of}\n\n`,
    alignColumns(rows),
    bars.length === 0 ? '' : `\nDrivers and their impact\n\n${alignColumns(bars)}`,
  ].join('');
}
