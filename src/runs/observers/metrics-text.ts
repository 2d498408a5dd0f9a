import { type Labels, type RunMetric, runMetrics } from '../summary/run-metrics.ts';
import type { Summary } from '../summary/summary.ts';

/** A summary in the OpenMetrics text format, for the textfile collector of a node exporter. */
export const metricsText = (summary: Summary): string =>
  `${runMetrics(summary).map(familyText).join('')}# EOF\n`;

/** The units at the end of a name, as OpenMetrics has them; the name of bytes is their unit. */
const suffixes: Partial<Record<RunMetric['unit'], string>> = { s: '_seconds', '1': '_ratio' };

/** Nothing if no value is known. */
function familyText({ name, unit, help, samples }: RunMetric): string {
  if (samples.length === 0) return '';
  const family = `rowcast_run_${name}${suffixes[unit] ?? ''}`;
  const lines = samples.map(({ labels, value }) => `${family}{${labelsText(labels)}} ${value}\n`);
  return `# TYPE ${family} gauge\n# HELP ${family} ${help}\n${lines.join('')}`;
}

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
