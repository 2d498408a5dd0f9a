import type { Evaluation } from './evaluation.ts';

/** The numbers of an evaluation as metrics: its rows, and each figure with its interval, of all rows and of segments. */
export function evaluationMetrics({ report, predicts, evaluated_at, ...evaluation }: Evaluation) {
  const { coverage, figures, segments } = evaluation;
  const common = { report: report ?? '', predicts };
  const parts = [
    { labels: { ...common, by: '', value: '' }, figures, ...coverage },
    ...segments.flatMap(({ by, values }) =>
      values.map(({ value, ...part }) => ({ labels: { ...common, by, value: value ?? '' }, ...part })),
    ),
  ];
  const metric = (
    name: string,
    help: string,
    samples: { labels: Record<string, string>; value: number }[],
  ) => ({
    name,
    unit: '' as const,
    help,
    samples,
  });
  const figureSamples = (bound: 'value' | 'low' | 'high') =>
    parts.flatMap(part =>
      Object.entries(part.figures).flatMap(([figure, { [bound]: value }]) =>
        value === null ? [] : [{ labels: { ...part.labels, figure }, value }],
      ),
    );
  return [
    metric('time_seconds', 'When it was evaluated.', [
      { labels: common, value: Date.parse(evaluated_at) / 1000 },
    ]),
    metric(
      'rows',
      'Scored rows by whether they have a label.',
      parts.flatMap(({ labels, rows, labelled }) => [
        { labels: { ...labels, labelled: 'yes' }, value: labelled },
        { labels: { ...labels, labelled: 'no' }, value: rows - labelled },
      ]),
    ),
    metric('figure', 'A figure of the rows with a label.', figureSamples('value')),
    metric('figure_low', 'The lower end of its 95% interval.', figureSamples('low')),
    metric('figure_high', 'The upper end.', figureSamples('high')),
  ];
}
