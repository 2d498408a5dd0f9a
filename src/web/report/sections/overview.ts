import type { Quality } from '../../../base/contract/schemas.ts';
import { sanitize, sanitizeLines } from '../../../base/sanitize.ts';
import { barChart } from '../../charts/bar-chart.ts';
import { countText, percentText } from '../../charts/text.ts';
import { confirmButton } from '../../elements/confirm.ts';
import { type Html, html, named } from '../../html.ts';
import { noticeBox } from '../../notice.ts';
import { mayCreate } from '../../session/rights.ts';
import type { Session } from '../../session/sessions.ts';
import { classOrder } from '../class-order.ts';
import type { ReportView } from '../report-view.ts';

/** More classes than this are only counted. */
const MAX_NAMES = 8;

/** The title of the page, with what the report predicts, and a way to delete it. */
export function heading({ report: { id, predicts, classes }, session }: ReportView): Html {
  const names = classOrder(classes)
    .slice(0, MAX_NAMES)
    .map((index, i) => html`${i > 0 && ', '}${named(classes[index] ?? '')}`);
  const more = classes.length > MAX_NAMES && ` and ${classes.length - MAX_NAMES} more`;
  return html`<div class="page-head"><div><h1>${id}</h1>
<p class="lead">Predicts <strong>${named(predicts)}</strong>: ${names}${more}</p></div>${mayCreate(session.principal) && deletion(id, session)}</div>`;
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

export function warnings({ report }: ReportView): Html[] {
  return report.warnings.map(({ message }) =>
    noticeBox({ kind: 'warn', text: html`<strong>Warning.</strong> ${sanitizeLines(message)}` }),
  );
}

/** What `rowcast report` prints, and the accuracy next to the one of always predicting the most frequent class. */
export function techSpecs({ report }: ReportView): Html {
  const { tech_specs: specs, learned_from: rows, quality, columns, classes } = report;
  const facts: [name: string, text: string | undefined, explanation?: string][] = [
    ['Algorithm', sanitize(specs.algorithm)],
    ['Testing accuracy', sanitize(specs.testing_accuracy)],
    ['Validation accuracy', sanitize(specs.validation_accuracy)],
    ['Training accuracy', sanitize(specs.training_accuracy)],
    ['Train–test split', sanitize(specs.train_test_split)],
    [
      'AUC',
      quality.auc?.toFixed(3),
      `${classes.length > 2 ? 'one-vs-rest, averaged over the classes; ' : ''}guessing: 0.5, perfect: 1`,
    ],
    ['Log loss', quality.log_loss.toFixed(3), 'the lower, the better'],
    ['Rows of the served model', countText(rows.served_model), 'for your predictions'],
    ['Rows of the evaluated model', countText(rows.evaluated_model), 'for the figures on this page'],
    ['Testing rows', countText(quality.testing_rows)],
    ['Columns', countText(columns.length)],
    ['Classes', countText(classes.length)],
  ];
  return html`<section class="card stack" aria-labelledby="tech-specs"><h2 id="tech-specs">Tech specs</h2>
<dl class="facts">${facts.map(([name, text, explanation]) => text !== undefined && html`<dt>${name}</dt><dd>${text}${explanation !== undefined && html` <span class="small muted">${explanation}</span>`}</dd>`)}</dl>
${accuracyChart(quality)}
</section>`;
}

function accuracyChart(quality: Quality): Html {
  const { accuracy, accuracy_interval: interval, majority_accuracy: baseline } = quality;
  const always = `Always “${sanitize(quality.majority_class)}”`;
  const range = `${percentText(interval.low)} to ${percentText(interval.high)}`;
  return barChart({
    id: 'accuracy',
    title: 'Accuracy and baseline',
    description: `The model is right for ${percentText(accuracy)} of the testing rows. ${always} is right for ${percentText(baseline)}.`,
    caption: `With ${100 * interval.confidence}% confidence, the accuracy is between ${percentText(interval.low)} and ${percentText(interval.high)}.`,
    most: 1,
    bars: [
      { label: 'This model', value: accuracy, text: percentText(accuracy), interval },
      { label: always, value: baseline, text: percentText(baseline), series: 'baseline' },
    ],
    numbers: {
      head: ['Predicted by', 'Accuracy', `${100 * interval.confidence}% interval`],
      rows: [
        ['This model', percentText(accuracy), range],
        [always, percentText(baseline), '–'],
      ],
    },
  });
}
