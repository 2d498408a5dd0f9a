import * as z from 'zod';
import { type LooseReport, quality, warning } from '../../contract/schemas.ts';
import { sanitize } from '../../sanitize.ts';
import { alignColumns } from './print.ts';
import { counted } from './progress.ts';

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
    describeQuality(report.quality),
    bars.length === 0 ? '' : `\nDrivers and their impact\n\n${alignColumns(bars)}`,
    describeWarnings(report.warnings),
  ].join('');
}

/** A member of the same name but another shape, which a service may have, is not shown. */
function describeQuality(member: unknown): string {
  const { data } = quality.safeParse(member);
  if (data === undefined) return '';
  const { accuracy, accuracy_interval: interval, auc } = data;
  const rows = [
    [
      '  accuracy',
      `${percent(accuracy)} (${100 * interval.confidence}% confidence interval: ${percent(interval.low)} to ${percent(interval.high)})`,
    ],
    [
      '  baseline',
      `${percent(data.majority_accuracy)} (always predicting "${sanitize(data.majority_class)}")`,
    ],
    ['  AUC', auc === null ? 'undefined' : auc.toFixed(3)],
    ['  log loss', data.log_loss.toFixed(3)],
  ];
  return `\nQuality on ${counted(data.testing_rows)} testing rows\n\n${alignColumns(rows)}`;
}

function describeWarnings(member: unknown): string {
  const { data = [] } = z.array(warning).safeParse(member);
  if (data.length === 0) return '';
  return `\nWarnings\n\n${data.map(({ message }) => `  ${sanitize(message)}\n`).join('')}`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
