import * as z from 'zod';
import { type LooseReport, warning } from '../../base/contract/schemas.ts';
import { sanitize } from '../../base/sanitize.ts';
import { alignColumns } from './print.ts';
import { describeQuality } from './quality-text.ts';

/** Describes a report for people: what it predicts, its tech specs, and the impact of its drivers as bars. */
export function describeReport(id: string, report: LooseReport): string {
  const { predicts, classes, tech_specs: specs, drivers } = report;
  const what = predicts === undefined ? '' : ` predicts ${sanitize(predicts)}`;
  const of = classes === undefined ? '' : `: ${sanitize(classes.join(', '))}`;
  const rows = Object.entries(specs).map(([name, spec]) => [
    `  ${sanitize(name).replaceAll('_', ' ')}`,
    sanitize(String(spec)),
  ]);
  const max = drivers.reduce((max, { impact }) => Math.max(max, impact), 0);
  const bars = drivers.map(({ column, impact }) => [
    `  ${sanitize(column)}`,
    `${(100 * impact).toFixed(1)}%`.padStart(6),
    '█'.repeat(Math.round(24 * (Math.max(0, impact) / max))),
  ]);
  return [
    `${id}${what}${of}\n\n`,
    alignColumns(rows),
    describeQuality(report.quality, classes),
    bars.length === 0 ? '' : `\nDrivers and their impact\n\n${alignColumns(bars)}`,
    describeWarnings(report.warnings),
  ].join('');
}

function describeWarnings(member: unknown): string {
  const { data = [] } = z.array(warning).safeParse(member);
  if (data.length === 0) return '';
  return `\nWarnings\n\n${data.map(({ message }) => `  ${sanitize(message)}\n`).join('')}`;
}
