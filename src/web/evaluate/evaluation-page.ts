import { sanitize, sanitizeLines } from '../../base/sanitize.ts';
import type { Evaluation } from '../../evaluate/evaluation.ts';
import {
  amountText,
  figureText,
  figureTitle,
  intervalText,
  shownFigures,
  unusedTexts,
} from '../../evaluate/figure-texts.ts';
import { barChart } from '../charts/bar-chart.ts';
import { type Html, type HtmlPart, html, named } from '../html.ts';
import { noticeBox } from '../notice.ts';
import { pageInOneFile, tile } from '../page-in-one-file.ts';
import { num, tableBox } from '../table.ts';
import { countedText, countText, nameText, percentOf } from '../texts.ts';
import { classSections } from './class-sections.ts';

/** An evaluation as a page in one file, which needs no network and runs no scripts. */
export const evaluationPage = (evaluation: Evaluation): string =>
  pageInOneFile({
    title: `Evaluation of ${nameText(evaluation.predicts)} · rowcast`,
    content: evaluationContent(evaluation),
  });

export const evaluationContent = (evaluation: Evaluation): Html => html`${heading(evaluation)}
${evaluation.warnings.map(({ message }) => noticeBox({ kind: 'warn', text: sanitizeLines(message) }))}
${figuresSection(evaluation)}
${evaluation.kind === 'classes' ? classSections(evaluation) : decilesSection(evaluation)}
${evaluation.segments.map((segment, i) => segmentSection(evaluation, segment, i))}
${coverageSection(evaluation)}
${factsSection(evaluation)}`;

/** The figures of the tiles, and the first of them of segments. */
const mainFigures = {
  classes: ['auc', 'log_loss', 'calibration_error', 'accuracy'],
  numbers: ['rmse', 'mae', 'r2', 'bias'],
} as const;

const textOf = ({ kind }: Evaluation, name: string, value: number | null | undefined): string =>
  figureText(name, value, kind === 'classes');

function heading(evaluation: Evaluation): Html {
  const { predicts, report, kind, figures, coverage } = evaluation;
  const tiles = mainFigures[kind].map(name => {
    const figure = figures[name];
    const interval = figure && intervalText(name, figure, kind === 'classes');
    return tile(figureTitle(name), textOf(evaluation, name, figure?.value), interval || figure?.reason);
  });
  return html`<div class="page-head"><div><h1>Evaluation of ${named(predicts)}</h1>
<p class="lead">${report !== null && html`Report ${named(report)}, `}${scoredText(evaluation)}</p></div></div>
<dl class="tiles">${tile('Rows with a label', countText(coverage.labelled), `of ${countedText(coverage.rows, 'scored row')}`)}${tiles}</dl>`;
}

function scoredText({ scored }: Evaluation): Html {
  const [first = ''] = scored;
  return scored.length === 1
    ? html`<span class="path">${sanitize(first)}</span>`
    : html`${countedText(scored.length, 'scored file')}`;
}

/** A table in a box that scrolls. The first cell of a row is its heading; the others are numbers. */
const table = (name: string, head: readonly string[], rows: readonly (readonly HtmlPart[])[]): Html =>
  tableBox({
    label: name,
    head: head.map((cell, i) => (i === 0 ? cell : num(cell))),
    rows: rows.map(
      ([first, ...cells]) =>
        html`<tr><th scope="row">${first}</th>${cells.map(cell => html`<td class="num">${cell}</td>`)}</tr>`,
    ),
  });

const aboutClasses =
  'AUC and Gini say how well the probabilities rank rows: 0.5 and 0 are chance, 1 is perfect. Log loss, Brier score and calibration error are smaller if the probabilities are right.';
const aboutNumbers =
  'RMSE, MAE (the mean absolute error) and bias (prediction minus actual number) are in the unit of the column. R² is the share of the variance that is explained: 1 is perfect, 0 the mean of all.';

function figuresSection(evaluation: Evaluation): Html {
  const { figures, testing, earlier, kind } = evaluation;
  const ofClasses = kind === 'classes';
  const rows = shownFigures(figures).map(name => {
    const own = figures[name];
    const change = earlier?.differences[name];
    const interval = change && intervalText(name, change, ofClasses);
    return [
      figureTitle(name),
      own?.value == null && own?.reason
        ? html`<span class="muted">${own.reason}</span>`
        : textOf(evaluation, name, own?.value),
      own && intervalText(name, own, ofClasses),
      ...(testing === null ? [] : [textOf(evaluation, name, testing[name])]),
      ...(earlier === null
        ? []
        : [
            textOf(evaluation, name, earlier.figures[name]?.value),
            html`${textOf(evaluation, name, change?.value)}${interval && html` <span class="small muted">${interval}</span>`}`,
          ]),
    ];
  });
  const head = [
    'Figure',
    'Value',
    '95% interval',
    ...(testing === null ? [] : ['Testing rows']),
    ...(earlier === null ? [] : ['Earlier', 'Difference']),
  ];
  return html`<section class="card stack" aria-labelledby="figures"><h2 id="figures">Figures</h2>
<p class="muted">${ofClasses ? aboutClasses : aboutNumbers}</p>
${testing !== null && html`<p class="muted">Next to what the report's own testing rows showed.</p>`}
${earlier !== null && html`<p class="muted">Earlier: <span class="path">${sanitize(earlier.evaluation)}</span>, made at ${minuteOf(earlier.evaluated_at)}.</p>`}
${table('Table of figures', head, rows)}</section>`;
}

/** The errors of predicted numbers. */
function decilesSection({ deciles }: Evaluation): Html | undefined {
  if (deciles === null || deciles.length === 0) return undefined;
  const text = ({ from, to }: (typeof deciles)[number]): string => `${amountText(from)} to ${amountText(to)}`;
  const rows = deciles.map(decile => [
    text(decile),
    countText(decile.rows),
    amountText(decile.predicted),
    amountText(decile.actual),
    amountText(decile.bias.value ?? 0),
    intervalText('bias', decile.bias, false),
    amountText(decile.mae),
    amountText(decile.rmse),
  ]);
  const head = [
    'Prediction',
    'Rows',
    'Mean prediction',
    'Mean actual',
    'Bias',
    '95% interval',
    'MAE',
    'RMSE',
  ];
  return html`<section class="card stack" aria-labelledby="errors"><h2 id="errors">Errors by prediction</h2>
${barChart({
  id: 'error-chart',
  title: 'Mean absolute error by tenths of the predictions',
  description: 'For each tenth of the labelled rows by their prediction, the mean size of the error.',
  most: Math.max(...deciles.map(({ mae }) => mae)) || 1,
  bars: deciles.map(decile => ({ label: text(decile), value: decile.mae, text: amountText(decile.mae) })),
  numbers: { head, rows },
})}
${table('Table of errors', head, rows)}</section>`;
}

function segmentSection(
  evaluation: Evaluation,
  { by, values }: Evaluation['segments'][number],
  i: number,
): Html {
  const ofClasses = evaluation.kind === 'classes';
  const [main] = mainFigures[evaluation.kind];
  const nameOf = (value: string | null): string => (value === null ? 'all other values' : nameText(value));
  const known = values.flatMap(({ value, figures }) => {
    const figure = figures[main];
    return figure?.value == null ? [] : [{ label: nameOf(value), figure, value: figure.value }];
  });
  const names = [...mainFigures[evaluation.kind], ofClasses ? 'base_rate' : 'mean_actual'].filter(name =>
    values.some(({ figures }) => Object.hasOwn(figures, name)),
  );
  const head = [nameText(by), 'Rows', 'With a label', ...names.map(figureTitle)];
  const rows = values.map(({ value, rows: count, labelled, figures }) => [
    html`<bdi>${nameOf(value)}</bdi>`,
    countText(count),
    countText(labelled),
    ...names.map(
      name =>
        html`${textOf(evaluation, name, figures[name]?.value)}${name === main && figures[main]?.low != null && html`<span class="before small muted">${intervalText(main, figures[main], ofClasses)}</span>`}`,
    ),
  ]);
  return html`<section class="card stack" aria-labelledby="segment-${i}"><h2 id="segment-${i}">By ${named(by)}</h2>
${
  known.length > 0 &&
  barChart({
    id: `segment-chart-${i}`,
    title: `${figureTitle(main)} by ${nameText(by)}`,
    description: `Each value of ${nameText(by)} with its figure and its 95 % confidence interval.`,
    most: ofClasses ? 1 : Math.max(...known.map(({ value, figure }) => figure.high ?? value)) || 1,
    bars: known.map(({ label, figure: { low, high }, value }) => ({
      label,
      value,
      text: textOf(evaluation, main, value),
      ...(low !== null && high !== null && { interval: { low, high } }),
    })),
    numbers: { head, rows },
  })
}
${table(`Table by ${nameText(by)}`, head, rows)}</section>`;
}

/** More predicted classes are only in the table of the numbers. */
const MAX_PARTS = 40;

function coverageSection(evaluation: Evaluation): Html | undefined {
  const { coverage, kind } = evaluation;
  if (coverage.parts.length === 0) return undefined;
  const text = (value: number | null): string =>
    kind === 'classes' ? percentOf(value ?? 0) : amountText(value ?? 0);
  const parts = coverage.parts.map(part => ({
    label: part.class ?? `${text(part.from)} to ${text(part.to)}`,
    share: part.labelled / part.rows,
    cells: [countText(part.rows), countText(part.labelled), percentOf(part.labelled / part.rows)],
  }));
  const isByClass = coverage.parts.some(part => part.class !== null);
  const isPart = coverage.labelled < coverage.rows;
  return html`<section class="card stack" aria-labelledby="coverage"><h2 id="coverage">Coverage</h2>
<p>${countText(coverage.labelled)} of ${countedText(coverage.rows, 'scored row')} ${coverage.labelled === 1 ? 'has' : 'have'} a label${coverage.fair === true && ', spread evenly enough over the predictions'}.${coverage.invalid > 0 && ` Of ${countedText(coverage.invalid, 'more row')}, the prediction is missing or no number that it can be.`}</p>
${
  isPart &&
  barChart({
    id: 'coverage-chart',
    title: `Rows with a label by ${isByClass ? 'predicted class' : 'tenths of the predictions'}`,
    description: 'For each part of the scored rows, how many of them have a label.',
    most: 1,
    bars: parts
      .slice(0, MAX_PARTS)
      .map(({ label, share }) => ({ label, value: share, text: percentOf(share) })),
    numbers: {
      head: ['Prediction', 'Rows', 'With a label', 'Share'],
      rows: parts.map(({ label, cells }) => [nameText(label), ...cells]),
    },
  })
}</section>`;
}

function factsSection(evaluation: Evaluation): Html {
  const { joined, scored, labels, evaluated_at: at, threshold, version } = evaluation;
  const MAX_FILES = 100;
  const facts: [name: string, text: HtmlPart][] = [
    ['Evaluated', minuteOf(at)],
    ['Threshold', threshold ?? undefined],
    [
      'Scored files',
      html`<ul class="plain">${scored.slice(0, MAX_FILES).map(file => html`<li>${sanitize(file)}</li>`)}</ul>${scored.length > MAX_FILES && `and ${countText(scored.length - MAX_FILES)} more`}`,
    ],
    ['Labels', labels === null ? 'in the scored files' : sanitize(labels)],
    [
      'Joined by',
      joined.by === 'key'
        ? sanitize(joined.key.join(', '))
        : joined.by === 'row'
          ? 'the order of rows'
          : undefined,
    ],
    ...Object.entries(joined.unused).map(([reason, rows]): [string, HtmlPart] => [
      `Labels ${unusedTexts[reason] ?? reason}`,
      countText(rows),
    ]),
    ['Version of rowcast', version ?? undefined],
  ];
  return html`<section class="card stack" aria-labelledby="facts"><h2 id="facts">Facts</h2>
<dl class="facts">${facts.map(([name, text]) => text !== undefined && html`<dt>${name}</dt><dd>${text}</dd>`)}</dl></section>`;
}

const minuteOf = (iso: string): string => `${sanitize(iso.slice(0, 16).replace('T', ' '))} UTC`;
