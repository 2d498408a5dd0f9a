import { importedFacts, numbersText } from '../../../base/contract/imported-facts.ts';
import type { ImportedReport, NumberQuality } from '../../../base/contract/schemas.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { type Html, html } from '../../html.ts';
import { countText } from '../../texts.ts';

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
