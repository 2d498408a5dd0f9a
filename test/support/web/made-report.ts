import type { TrainedReport } from '../../../src/base/contract/schemas.ts';
import type { LearnedColumn } from '../../../src/formats/columns/column-encoder.ts';
import { saveModel } from '../../../src/models/model/model-format.ts';
import { scoreCount } from '../../../src/models/model/scores.ts';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { reportColumns } from '../../../src/training/findings/drivers.ts';
import { qualityOf } from '../../../src/training/findings/quality.ts';
import { testingResultsCsv } from '../../../src/training/findings/testing-results.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { newFolder } from '../folder.ts';
import { reportOf } from '../service/report.ts';
import type { Scope } from '../shared.ts';
import { type OwnedPlatform, ownedPlatform } from './platform.ts';

/** Names and values that markup, shells and spreadsheets could take for something else. */
export const hostile = {
  amount: '<script>alert(1)</script>',
  plan: '=HYPERLINK("http://evil")',
  since: '\u202eecnis',
  city: `it's "$(rm)" \`x\``,
  levels: ['<img src=x onerror=alert(1)>', '"quoted"', "'", 'two\nlines', '\u202elevel'],
} as const;

const cities = Array.from({ length: 60 }, (_, i) => `city ${i}`);

/** Columns of every kind, with hostile names. */
const columns: LearnedColumn[] = [
  { name: hostile.amount, type: 'numerical', notation: 'comma' },
  { name: hostile.plan, type: 'categorical', levels: [...hostile.levels] },
  { name: hostile.since, type: 'date', piece: 'day', order: 'dmy' },
  { name: hostile.since, type: 'date', piece: 'hour', order: 'dmy' },
  { name: hostile.city, type: 'categorical', levels: cities, others: 'merged' },
  { name: '__proto__', type: 'numerical', notation: 'point' },
];

export interface MadeReport {
  id: string;
  /** By default no and yes. */
  classes?: readonly string[];
  seed?: number;
  /** More columns of numbers. */
  more?: number;
  /** Members of the report that are not as usual. */
  members?: Partial<TrainedReport>;
}

/** Writes a report without training it: a linear model with random weights, and random testing results. */
export async function makeReport(
  home: string,
  { id, classes = ['no', 'yes'], seed = 1, more = 0, members }: MadeReport,
): Promise<TrainedReport> {
  const random = seededRandom(seed);
  const stride = scoreCount(classes.length);
  const weights = () => Array.from({ length: stride }, () => random() - 0.5);
  const further = Array.from(
    { length: more },
    (_, i): LearnedColumn => ({ name: `number ${i}`, type: 'numerical', notation: 'point' }),
  );
  const all = [...columns, ...further];
  const features = all.map(column =>
    column.type === 'categorical'
      ? {
          kind: 'levels' as const,
          levels: Array.from({ length: column.levels.length + (column.others ? 2 : 1) }, weights),
        }
      : {
          kind: 'number' as const,
          low: -1e9,
          high: 1e9,
          mean: 50,
          scale: 30,
          weights: weights(),
          missing: weights(),
        },
  );
  const header = [...new Set(all.map(({ name }) => name))];
  const rows = Array.from({ length: 200 }, () => [
    (random() * 100).toFixed(2).replace('.', ','),
    random() < 0.1 ? '' : (hostile.levels[Math.floor(random() * 5)] ?? ''),
    `${10 + Math.floor(random() * 18)}/0${1 + Math.floor(random() * 9)}/2021 1${Math.floor(random() * 9)}:30`,
    cities[Math.floor(random() * 60)] ?? '',
    String(Math.floor(random() * 40)),
    ...further.map(() => String(random())),
  ]);
  const labels = rows.map(() => Math.floor(random() * classes.length));
  const probabilities = rows.flatMap(() => {
    const scores = classes.map(() => random() + 0.01);
    const sum = scores.reduce((total, score) => total + score, 0);
    return scores.map(score => score / sum);
  });
  const base = reportOf(id, '');
  const report: TrainedReport = {
    ...base,
    classes: [...classes],
    columns: reportColumns(all),
    drivers: header.map((column, i) => ({
      column,
      impact: (header.length - i) / ((header.length * (header.length + 1)) / 2),
    })),
    quality: {
      ...qualityOf(
        { labels, probabilities: Float64Array.from(probabilities), classes: classes.length },
        labels,
        classes,
      ),
      majority_accuracy: 0.4,
      accuracy_interval: { confidence: 0.95, low: 0.4, high: 0.6 },
      majority_class: classes[0] ?? '',
    },
    notes: ['A note about <b>"nothing"</b>.'],
    ...members,
  };
  await writeReport(home, {
    report,
    model: await saveModel({
      columns: all,
      classes,
      predictor: { kind: 'linear', base: weights(), features },
    }),
    testingResults: Buffer.from(
      testingResultsCsv({
        header,
        rows,
        predicts: report.predicts,
        classes,
        labels,
        probabilities: Float64Array.from(probabilities),
      }),
    ),
  });
  return report;
}

/** A platform over a data directory with such reports, its owner signed in. */
export async function platformWithMade(
  t: Scope,
  reports: readonly MadeReport[],
  options: { maxRowsPerSecond?: number } = {},
): Promise<OwnedPlatform> {
  const home = await newFolder(t);
  for (const report of reports) await makeReport(home, report);
  return ownedPlatform(t, { home, ...options });
}
