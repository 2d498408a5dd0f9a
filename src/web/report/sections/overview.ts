import { importedFacts, numbersText } from '../../../base/contract/imported-facts.ts';
import {
  type ImportedReport,
  isImported,
  isOfNumbers,
  type NumberQuality,
  type Quality,
  type Report,
  type TrainedReport,
} from '../../../base/contract/schemas.ts';
import { sanitize, sanitizeLines } from '../../../base/sanitize.ts';
import { isCandidateNote } from '../../../training/findings/selection-notes.ts';
import { OTHER_TARGET } from '../../../training/rows/numbers/number-labels.ts';
import { barChart } from '../../charts/bar-chart.ts';
import { confirmButton } from '../../elements.ts';
import { type Html, html, named } from '../../html.ts';
import { noticeBox } from '../../notice.ts';
import { mayCreate } from '../../session/require-session.ts';
import type { Session } from '../../session/sessions.ts';
import { countText, percentOf } from '../../texts.ts';
import { classOrder } from '../class-order.ts';
import type { ReportView } from '../report-view.ts';
import { numberSpecsSection } from './numbers/number-sections.ts';

/** More classes than this are only counted. */
const MAX_NAMES = 8;

/** The title of the page, with what the report predicts, and a way to delete it. */
export function reportHeading({
  report: { id, predicts, classes = [] },
  session,
}: Pick<ReportView, 'session'> & { report: Pick<Report, 'id' | 'predicts' | 'classes'> }): Html {
  const names = classOrder(classes)
    .slice(0, MAX_NAMES)
    .map((index, i) => html`${i > 0 && ', '}${named(classes[index] ?? '')}`);
  const more = classes.length > MAX_NAMES && ` and ${classes.length - MAX_NAMES} more`;
  return html`<div class="page-head"><div><h1>${id}</h1>
<p class="lead">Predicts <strong>${predicts === undefined ? 'a column without a name' : named(predicts)}</strong>${classes.length > 0 && ': '}${names}${more}</p></div>${mayCreate(session.principal) && deletion(id, session)}</div>`;
}

const deletion = (id: string, session: Session): Html =>
  confirmButton({
    id: 'delete',
    label: 'Delete',
    about: 'this report',
    title: `Delete ${id}?`,
    text: 'Programs that use its ID will get an error. Its data stays.',
    action: `/platform/reports/${id}/delete`,
    submit: 'Delete the report',
    session,
  });

export function warnings({ report }: { report: Pick<Report, 'warnings'> }): Html[] {
  return report.warnings.map(({ message }) =>
    noticeBox({ kind: 'warn', text: html`<strong>Warning.</strong> ${sanitizeLines(message)}` }),
  );
}

/** What `rowcast report` prints, and the accuracy next to the one of always predicting the most frequent class. */
export function techSpecsSection({ report }: ReportView): Html {
  if (isOfNumbers(report)) return numberSpecsSection(report);
  const { quality, columns, classes } = report;
  // An imported report has only some of them.
  const specs: Partial<TrainedReport['tech_specs']> = report.tech_specs;
  const rows = isImported(report) ? undefined : report.learned_from;
  const facts: [name: string, text: string | undefined, explanation?: string][] = [
    ['Algorithm', specs.algorithm],
    ['Testing accuracy', specs.testing_accuracy],
    ['Validation accuracy', specs.validation_accuracy],
    ['Training accuracy', specs.training_accuracy],
    ['Train–test split', specs.train_test_split],
    [
      'AUC',
      quality.auc?.toFixed(3),
      `${classes.length > 2 ? 'one-vs-rest, averaged over the classes; ' : ''}guessing: 0.5, perfect: 1`,
    ],
    ['Log loss', quality.log_loss.toFixed(3), 'the lower, the better'],
    ['Rows of the served model', rows && countText(rows.served_model), 'for your predictions'],
    ['Rows of the evaluated model', rows && countText(rows.evaluated_model), 'for the figures on this page'],
    ['Testing rows', countText(quality.testing_rows)],
    ['Columns', countText(columns.length)],
    ['Classes', countText(classes.length)],
  ];
  return html`<section class="card stack" aria-labelledby="tech-specs"><h2 id="tech-specs">Tech specs</h2>
<dl class="facts">${facts.map(([name, text, explanation]) => text !== undefined && html`<dt>${name}</dt><dd>${sanitize(text)}${explanation !== undefined && html` <span class="small muted">${explanation}</span>`}</dd>`)}</dl>
${accuracyChart(quality)}
</section>`;
}

function accuracyChart(quality: Quality): Html {
  const { accuracy, accuracy_interval: interval, majority_accuracy: baseline } = quality;
  const always = `Always “${sanitize(quality.majority_class)}”`;
  const range = `${percentOf(interval.low)} to ${percentOf(interval.high)}`;
  return barChart({
    id: 'accuracy',
    title: 'Accuracy and baseline',
    description: `The model is right for ${percentOf(accuracy)} of the testing rows. ${always} is right for ${percentOf(baseline)}.`,
    caption: `With ${100 * interval.confidence}% confidence, the accuracy is between ${percentOf(interval.low)} and ${percentOf(interval.high)}.`,
    most: 1,
    bars: [
      { label: 'This model', value: accuracy, text: percentOf(accuracy), interval },
      { label: always, value: baseline, text: percentOf(baseline), series: 'baseline' },
    ],
    numbers: {
      head: ['Predicted by', 'Accuracy', `${100 * interval.confidence}% interval`],
      rows: [
        ['This model', percentOf(accuracy), range],
        [always, percentOf(baseline), '–'],
      ],
    },
  });
}

/** More bars than this hide the important ones. */
const MAX_BARS = 10;
const MAX_ROWS = 300;

/** The columns by their impact. */
export function drivers({ report }: { report: Pick<Report, 'drivers'> }): Html {
  const ranked = report.drivers.toSorted((a, b) => b.impact - a.impact);
  const [first] = ranked;
  if (first === undefined)
    return html`<section class="card"><h2>Drivers</h2><p>The report has none.</p></section>`;
  const shown = ranked.slice(0, MAX_BARS);
  const rest = ranked.slice(MAX_BARS);
  const others = rest.reduce((sum, { impact }) => sum + impact, 0);
  return html`<section class="card stack" aria-labelledby="drivers"><h2 id="drivers">Drivers</h2>
<p class="muted">A column’s impact is how much worse the predictions become when its values are shuffled, as a share of all.</p>
${barChart({
  id: 'driver-chart',
  title:
    rest.length === 0
      ? 'Impact of each column'
      : `Impact of the first ${MAX_BARS} of ${countText(ranked.length)} columns`,
  description: `The column with the largest impact has ${percentOf(first.impact)} of the total.`,
  ...(rest.length > 0 && {
    caption: `The other ${countText(rest.length)} have ${percentOf(others)} together.`,
  }),
  most: Math.max(first.impact, Number.MIN_VALUE),
  bars: shown.map(({ column, impact }) => ({
    label: column,
    value: Math.max(0, impact),
    text: percentOf(impact),
  })),
  numbers: {
    head: ['Column', 'Impact'],
    rows: ranked.slice(0, MAX_ROWS).map(({ column, impact }) => [named(column), percentOf(impact, 2)]),
    ...(ranked.length > MAX_ROWS && {
      note: `The first ${MAX_ROWS}; “rowcast report” prints all.`,
    }),
  },
})}</section>`;
}

/** Maximum number of notes that are shown: most notes about a table of 10,000 columns say the same. */
const MAX_NOTES = 200;

/** What training left out or could not do, and which models it compared. */
export function notes(
  { report }: { report: Pick<Report, 'notes'> },
  title = 'Notes of the training',
): Html | undefined {
  const given = report.notes.filter(note => note !== '');
  if (given.length === 0) return undefined;
  const compared = given.filter(isCandidateNote);
  const others = given.filter(note => !isCandidateNote(note));
  return html`<section class="card stack" aria-labelledby="notes"><h2 id="notes">${title}</h2>
${others.length > 0 && list(others)}
${compared.length > 0 && html`<details><summary>Models that were compared</summary>${list(compared)}</details>`}</section>`;
}

const list = (notes: readonly string[]): Html =>
  html`<ul class="notes">${notes.slice(0, MAX_NOTES).map(note => html`<li>${sanitizeLines(note.replace(OTHER_TARGET, ''))}</li>`)}</ul>
${notes.length > MAX_NOTES && html`<p class="muted">And ${notes.length - MAX_NOTES} more; “rowcast report --json” prints all.</p>`}`;

export const IMPORT_NOTES = 'Notes of the import';

/** Where the model of an imported report comes from. */
export function importedOrigin(report: ImportedReport): Html {
  const { imported_from: from, classes, numbers = [], quality } = report;
  const facts: [name: string, text: string][] = [
    ['predicts', classes === undefined ? numbersText(numbers) : `${countText(classes.length)} classes`],
    ...(quality !== undefined && 'rmse' in quality ? numberFacts(quality) : []),
    ...importedFacts(from),
  ];
  return html`<section class="card stack" aria-labelledby="imported-model"><h2 id="imported-model">Imported model</h2>
<dl class="facts">${facts.map(([name, text]) => html`<dt>${capitalized(name)}</dt><dd>${sanitize(text)}</dd>`)}</dl></section>`;
}

/** How far the predictions of labelled rows are from their numbers. */
const numberFacts = ({ testing_rows: rows, r2, rmse, mae, baseline }: NumberQuality): [string, string][] => [
  ['testing rows', countText(rows)],
  ['R²', r2?.toFixed(3) ?? 'undefined'],
  ['RMSE', besideBaseline(rmse, baseline.rmse)],
  ['MAE', besideBaseline(mae, baseline.mae)],
];

const besideBaseline = (error: number, ofMedian: number): string =>
  `${Number(error.toPrecision(4))}; always the median: ${Number(ofMedian.toPrecision(4))}`;

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
