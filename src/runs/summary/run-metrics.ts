import { unsentMetrics } from '../../scoring/reuse/unsent.ts';
import { countedRows } from '../../scoring/row-counts.ts';
import type { ScoreFigures } from '../drift/compare.ts';
import { goodRun, standingFor } from './good-run.ts';
import type { Summary } from './summary.ts';

export type MetricLabels = Readonly<Record<string, string>>;

/** A metric of a run. */
export interface RunMetric {
  /** Without the unit. */
  name: string;
  /** In UCUM, as OpenTelemetry writes it: `1` is a share; none for counts, flags and indexes. */
  unit: '' | '1' | 's' | 'By';
  help: string;
  /** The samples whose value is known; they differ in their labels. */
  samples: readonly { labels: MetricLabels; value: number }[];
}

/** The numbers of a summary as metrics. All are gauges, because they describe one run and not the life of a process. */
export function runMetrics(summary: Summary): RunMetric[] {
  const { retries, latency_ms: latency, output, report, status } = summary;
  const shown = standingFor(summary);
  const { rows } = shown;
  // What has become of the rows of an output that was skipped is not known if no run of it is.
  const isKnown = status !== 'skipped' || summary.last !== null;
  const last = goodRun(summary) ?? summary.last;
  const metric: MakeMetric = (name, unit, help, values) => ({
    name,
    unit,
    help,
    samples: values.flatMap(([value, labels]) =>
      value === null ? [] : [{ value, labels: { output, report: report ?? '', ...labels } }],
    ),
  });
  const each = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([code, value]) => [value, { code }] as const);
  const info = {
    run_id: summary.run_id,
    version: summary.version ?? '',
    service: summary.service ?? '',
    status,
  };
  return [
    metric('info', '', 'The run that the other metrics describe.', [[1, info]]),
    metric('running', '', 'Whether the run is in progress.', [[summary.status === 'running' ? 1 : 0]]),
    metric('exit_code', '', 'Exit code of the run, once it has ended.', [[summary.exit_code]]),
    metric('start_time', 's', 'Start of the first process.', [[secondsOf(summary.started_at)]]),
    metric('end_time', 's', 'End of the run.', [[secondsOf(summary.finished_at)]]),
    metric('duration', 's', 'Time that the last process took.', [[summary.seconds]]),
    metric('attempts', '', 'Processes of the run.', [[summary.attempts]]),
    metric(
      'rows',
      '',
      'Rows by what became of them; of a skipped run, those of the run that it stands for.',
      [
        [isKnown ? rows.scored : null, { result: 'scored' }],
        [isKnown ? rows.rejected : null, { result: 'rejected' }],
      ],
    ),
    ...unsentMetrics(rows, summary.saved ?? null).map(([name, help, value]) =>
      metric(name, '', help, [[value]]),
    ),
    metric('rejects', '', 'Rejected rows by code.', each(rows.rejected_by)),
    metric('requests', '', 'Requests to the service, or batches of a local report.', [[summary.calls]]),
    metric('retries', '', 'Requests that were retried, by code.', each(retries)),
    metric('bytes', 'By', 'Bytes that were read and written.', [
      [summary.bytes_in, { direction: 'in' }],
      [summary.bytes_out, { direction: 'out' }],
    ]),
    metric(
      'request_duration',
      's',
      'Latency of successful requests.',
      latency === null
        ? []
        : ([50, 95, 99] as const).map(percent => [
            latency[`p${percent}`] / 1000,
            { percentile: String(percent) },
          ]),
    ),
    metric('last_exit_code', '', 'Exit code of the last good run: of this one, if it has finished.', [
      [last?.exit_code ?? null],
    ]),
    metric('last_end_time', 's', 'End of the last good run.', [[secondsOf(last?.finished_at ?? null)]]),
    metric(
      'last_rows',
      '',
      'Rows of the last good run by what became of them; of several files, also those that were skipped.',
      [
        [last?.rows.scored ?? null, { result: 'scored' }],
        [last?.rows.rejected ?? null, { result: 'rejected' }],
      ],
    ),
    ...dataMetrics(shown, metric),
  ];
}

/** Columns, and classes, in the metrics of a run: a monitoring system keeps a series for each. */
const MAX_SERIES = 100;

/**
 * What was found in the data, of the columns that have changed most or have the most values that the model does not
 * know.
 */
function dataMetrics({ rows, columns, scores, labels, drift }: Summary, metric: MakeMetric): RunMetric[] {
  const counted = countedRows({ read: rows.read, rejectedBy: rows.rejected_by });
  const indexes = new Map(drift?.columns.map(({ name, psi }) => [name, psi]));
  const shown = (columns ?? []).map(column => {
    const { name, missing, mismatched, unseen, missing_share: missingShare } = column;
    const there = counted - missing;
    const shareOf = (count: number | null): number | null =>
      count === null || there <= 0 ? null : Math.min(1, count / there);
    return {
      labels: { column: name },
      psi: indexes.get(name) ?? null,
      missing: missingShare,
      mismatched: shareOf(mismatched),
      unseen: shareOf(unseen),
    };
  });
  type Shown = (typeof shown)[number];
  const unknown = ({ missing, mismatched, unseen }: Shown): number =>
    (missing ?? 0) + (mismatched ?? 0) + (unseen ?? 0);
  if (shown.length > MAX_SERIES) {
    shown.sort((a, b) => (b.psi ?? 0) - (a.psi ?? 0) || unknown(b) - unknown(a));
    shown.length = MAX_SERIES;
  }
  const ofColumns: [what: Exclude<keyof Shown, 'labels'>, unit: RunMetric['unit'], help: string][] = [
    ['missing', '1', 'Share of the values of a column that are missing.'],
    ['mismatched', '1', 'Share of the other values of a column that do not fit its type.'],
    ['unseen', '1', 'Share of the other values of a column that are categories unknown to the model.'],
    ['psi', '', 'Population stability index of a column since the run of --compare.'],
  ];
  const ofKind = (kind: ScoreFigures['kind']) =>
    Object.entries(scores ?? {})
      .filter(([, score]) => score.kind === kind)
      .slice(0, MAX_SERIES);
  const [classes, numbers] = [ofKind('probability'), ofKind('number')];
  const psiOf = (name: string): number | null => drift?.scores[name]?.psi ?? null;
  const labelled = labels?.rows.reduce((total, count) => total + count, labels.others) ?? 0;
  return [
    ...ofColumns.map(([what, unit, help]) =>
      metric(
        `column_${what}`,
        unit,
        help,
        shown.map(column => [column[what], column.labels]),
      ),
    ),
    metric(
      'score_mean',
      '1',
      'Mean of the probability of a class.',
      classes.map(([name, { mean }]) => [mean, { class: name }]),
    ),
    metric(
      'score_psi',
      '',
      'Population stability index of the probability of a class since the run of --compare.',
      classes.map(([name]) => [psiOf(name), { class: name }]),
    ),
    metric(
      'prediction_mean',
      '',
      'Mean of a predicted number.',
      numbers.map(([name, { mean }]) => [mean, { number: name }]),
    ),
    metric(
      'prediction_share',
      '1',
      'Share of a predicted label.',
      (labels?.names ?? [])
        .slice(0, MAX_SERIES)
        .map((label, i) => [(labels?.rows[i] ?? 0) / labelled, { label }]),
    ),
    metric(
      'prediction_psi',
      '',
      'Population stability index of a predicted number, or of the predicted labels, since the run of --compare.',
      [
        ...numbers.map(([name]) => [psiOf(name), { number: name }] as const),
        [drift?.labels?.psi ?? null] as const,
      ],
    ),
  ];
}

/** Makes a metric with the labels of the run. */
type MakeMetric = (
  name: string,
  unit: RunMetric['unit'],
  help: string,
  values: readonly (readonly [value: number | null, labels?: MetricLabels])[],
) => RunMetric;

const secondsOf = (time: string | null): number | null => (time === null ? null : Date.parse(time) / 1000);
