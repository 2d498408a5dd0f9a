import { sanitize } from '../../base/sanitize.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { toTenths } from '../charts/figure.ts';
import { type Html, html, named } from '../html.ts';
import { num, tableBox } from '../table.ts';
import { countedText, countText, nameText, percentOf, shortened } from '../texts.ts';

type Column = NonNullable<Summary['columns']>[number];
type Drift = NonNullable<Summary['drift']>;
type Entry = Drift['columns'][number];

/** Columns that are shown without being asked for. */
const MAX_SHOWN = 25;

/** What the run found in its columns, next to the training and to an earlier run; those that differ most first. */
export function columnsSection(summary: Summary): Html | undefined {
  const { columns, drift, rows } = summary;
  if (columns === null || columns.length === 0 || rows.read === 0) return undefined;
  const changes = new Map(drift?.columns.map(entry => [entry.name, entry]));
  const sorted = columns.toSorted((a, b) => order(b, changes) - order(a, changes));
  const [shown, more] = [sorted.slice(0, MAX_SHOWN), sorted.slice(MAX_SHOWN)];
  const table = (part: readonly Column[], name: string): Html =>
    columnTable(part, { name, changes, rows: rows.read });
  return html`<section class="card stack" aria-labelledby="columns"><h2 id="columns">Columns</h2>
${drift && comparedWith(drift)}
${columns.some(({ ranges }) => ranges?.edges.length === 9) && html`<p class="muted"><span class="key expected">share of each range in training</span></p>`}
${table(shown, 'Table of columns')}
${
  more.length > 0 &&
  html`<details><summary>${countedText(more.length, 'more column')}</summary>
${table(more, 'Table of more columns')}</details>`
}
</section>`;
}

const comparedWith = ({ compared_with: { summary, input, rows, started_at: start } }: Drift): Html =>
  html`<p class="muted">The change is that since the run of ${named(input)} with ${countedText(rows, 'row')}, which started at ${start.slice(0, 16).replace('T', ' ')} UTC (<span class="path">${sanitize(summary)}</span>), as population stability index: below 0.1 none, from 0.1 moderate, from 0.25 significant.</p>`;

function order({ name, mismatched, unseen }: Column, changes: ReadonlyMap<string, Entry>): number {
  // Values that the model does not know decide among columns that have not changed, or are not compared.
  const unknown = 1 - 1 / (1 + (mismatched ?? 0) + (unseen ?? 0));
  const change = changes.get(name);
  return change?.change === 'none' || change?.psi == null ? unknown : 1 + change.psi;
}

interface TableOptions {
  name: string;
  changes: ReadonlyMap<string, Entry>;
  rows: number;
}

function columnTable(columns: readonly Column[], { name, changes, rows }: TableOptions): Html {
  const hasPictures = columns.some(({ ranges, categories }) => ranges !== null || categories !== null);
  const hasTrimmed = columns.some(({ trimmed }) => Boolean(trimmed));
  const counts = ['Missing', 'Not of its type', 'Unknown', ...(hasTrimmed ? ['With spaces'] : []), 'Mean'];
  return tableBox({
    label: name,
    kind: 'columns',
    head: [
      'Column',
      ...(changes.size > 0 ? ['Change'] : []),
      ...counts.map(num),
      ...(hasPictures ? ['Values'] : []),
    ],
    rows: columns.map(column => columnRow(column, { rows, changes, hasPictures, hasTrimmed })),
  });
}

function columnRow(
  column: Column,
  {
    rows,
    changes,
    hasPictures,
    hasTrimmed,
  }: Omit<TableOptions, 'name'> & Record<'hasPictures' | 'hasTrimmed', boolean>,
): Html {
  const { missing, mismatched, unseen, trimmed, mean, training } = column;
  const cell = (count: number | null, before: number | undefined, isBad: boolean): Html => {
    const text = count === null ? '–' : shareText(count / rows);
    const title = count === null ? '' : countedText(count, 'row');
    return html`<td class="num"><span title="${title}">${isBad && count ? html`<strong>${text}</strong>` : text}</span>${training && before !== undefined && inTraining(shareText(before / training.rows))}</td>`;
  };
  const entry = changes.get(column.name);
  return html`<tr><th scope="row" class="column-name">${named(column.name)}</th>${changes.size > 0 && html`<td>${changeBadge(entry)}</td>`}
${cell(missing, training?.missing, false)}${cell(mismatched, training?.mismatched, true)}${cell(unseen, training?.unseen, true)}${hasTrimmed && cell(trimmed, undefined, false)}
<td class="num">${mean === null ? '–' : countText(mean)}${mean !== null && training?.mean != null && inTraining(countText(training.mean))}</td>
${hasPictures && html`<td>${valuesPicture(column)}</td>`}</tr>`;
}

const inTraining = (text: string): Html => html`<span class="before small muted">training ${text}</span>`;

const WIDTH = 110;
const HEIGHT = 28;
/** A share that is as high as the picture, unless a bar is higher. */
const LEAST_TOP = 0.2;
/** Number of deciles: each of the ten ranges between them had a tenth of the training rows. */
const DECILES = 9;
const MAX_NAME = 24;

/** A small picture of how the values of a column are spread over the ranges, or the categories, of the training. */
function valuesPicture({ ranges, categories }: Column): Html | undefined {
  if (ranges !== null) return picture(ranges.rows, rangeNames(ranges.edges), ranges.edges.length === DECILES);
  if (categories === null || categories.names.length === 0) return undefined;
  const { names, rows, others } = categories;
  const shown = names.map(name => shortened(nameText(name), MAX_NAME));
  return others > 0 ? picture([...rows, others], [...shown, 'others'], false) : picture(rows, shown, false);
}

function picture(
  counts: readonly number[],
  names: readonly string[],
  isOfDeciles: boolean,
): Html | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const shares = counts.map(count => count / total);
  const top = Math.max(LEAST_TOP, ...shares);
  const width = WIDTH / counts.length;
  const at = (share: number): number => toTenths(HEIGHT * (1 - share / top));
  const bars = shares.map(
    (share, i) =>
      html`<rect class="bar" x="${toTenths(i * width)}" y="${at(share)}" width="${toTenths(width - 1)}" height="${toTenths(HEIGHT - at(share))}"/>`,
  );
  const text = shares.map((share, i) => `${names[i]}: ${shareText(share)}`).join(', ');
  return html`<span class="spark"><svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${text}"><title>${text}</title>${bars}${isOfDeciles && html`<line class="expected" x1="0" x2="${WIDTH}" y1="${at(0.1)}" y2="${at(0.1)}"/>`}</svg></span>`;
}

const rangeNames = (edges: readonly number[]): string[] => [
  `below ${countText(edges[0] ?? 0)}`,
  ...edges.map((edge, i) =>
    i + 1 < edges.length
      ? `${countText(edge)} to ${countText(edges[i + 1] ?? 0)}`
      : `from ${countText(edge)}`,
  ),
];

/** A share as text; a small one is not shown as nothing. */
const shareText = (share: number): string => (share > 0 && share < 0.0005 ? '<0.1%' : percentOf(share));

const kinds = { none: 'good', moderate: 'warn', significant: 'bad' } as const;

/** How much a column or class has changed since an earlier run. */
function changeBadge(entry: Entry | undefined): Html {
  if (entry === undefined || entry.psi === null || entry.change === null)
    return html`<span class="small muted">not compared</span>`;
  return html`<span class="nowrap">${entry.psi.toFixed(2)} <span class="badge ${kinds[entry.change]}">${entry.change}</span></span>`;
}
