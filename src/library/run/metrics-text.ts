import type { Summary } from '../../runs/summary.ts';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels?: Labels;
  value: number | null;
}

/**
 * A summary in the OpenMetrics text format, for the textfile collector of a node exporter. All are gauges, because the
 * file describes one run and not the life of a process.
 */
export function metricsText(summary: Summary): string {
  const { rows, retries, latency_ms: latency, output, report } = summary;
  const of = { output, report: report ?? '' };
  const each = (counts: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(counts).map(([code, value]) => ({ labels: { code }, value }));
  const one = (value: number | null): Sample[] => [{ value }];
  const families: [name: string, help: string, samples: Sample[]][] = [
    [
      'info',
      'The run that the other metrics describe.',
      [
        {
          labels: {
            run_id: summary.run_id,
            version: summary.version ?? '',
            service: summary.service ?? '',
            status: summary.status,
          },
          value: 1,
        },
      ],
    ],
    ['running', 'Whether the run is in progress.', one(summary.status === 'running' ? 1 : 0)],
    ['exit_code', 'Exit code of the run, once it has ended.', one(summary.exit_code)],
    ['start_time_seconds', 'Start of the first process.', one(secondsOf(summary.started_at))],
    ['end_time_seconds', 'End of the run.', one(secondsOf(summary.finished_at))],
    ['duration_seconds', 'Time that the last process took.', one(summary.seconds)],
    ['attempts', 'Processes of the run.', one(summary.attempts)],
    [
      'rows',
      'Rows by what became of them.',
      [
        { labels: { result: 'scored' }, value: rows.scored },
        { labels: { result: 'rejected' }, value: rows.rejected },
      ],
    ],
    ['rejects', 'Rejected rows by code.', each(rows.rejected_by)],
    ['requests', 'Requests to the service, or batches of a local report.', one(summary.calls)],
    ['retries', 'Requests that were retried, by code.', each(retries)],
    [
      'bytes',
      'Bytes that were read and written.',
      [
        { labels: { direction: 'in' }, value: summary.bytes_in },
        { labels: { direction: 'out' }, value: summary.bytes_out },
      ],
    ],
    [
      'request_duration_seconds',
      'Latency of successful requests.',
      latency === null
        ? []
        : ([50, 95, 99] as const).map(percent => ({
            labels: { percentile: String(percent) },
            value: latency[`p${percent}`] / 1000,
          })),
    ],
  ];
  return `${families.map(([name, help, samples]) => familyText(`rowcast_run_${name}`, help, samples, of)).join('')}# EOF\n`;
}

/** Without samples that have no value. */
function familyText(name: string, help: string, samples: readonly Sample[], of: Labels): string {
  const known = samples.filter(({ value }) => value !== null);
  if (known.length === 0) return '';
  const lines = known.map(({ labels, value }) => `${name}{${labelsText({ ...of, ...labels })}} ${value}\n`);
  return `# TYPE ${name} gauge\n# HELP ${name} ${help}\n${lines.join('')}`;
}

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');

const secondsOf = (time: string | null): number | null => (time === null ? null : Date.parse(time) / 1000);
