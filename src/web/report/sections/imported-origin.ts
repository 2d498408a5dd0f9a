import { importedFacts, numbersText } from '../../../base/contract/imported-facts.ts';
import type { ImportedReport } from '../../../base/contract/schemas.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { type Html, html } from '../../html.ts';
import { countText } from '../../texts.ts';

export const IMPORT_NOTES = 'Notes of the import';

/** Where the model of an imported report comes from. */
export function importedOrigin({ imported_from: from, classes, numbers = [] }: ImportedReport): Html {
  const facts: [name: string, text: string][] = [
    ['predicts', classes === undefined ? numbersText(numbers) : `${countText(classes.length)} classes`],
    ...importedFacts(from),
  ];
  return html`<section class="card stack" aria-labelledby="imported-model"><h2 id="imported-model">Imported model</h2>
<dl class="facts">${facts.map(([name, text]) => html`<dt>${capitalized(name)}</dt><dd>${sanitize(text)}</dd>`)}</dl></section>`;
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
