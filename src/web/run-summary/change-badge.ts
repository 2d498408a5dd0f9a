import type { Summary } from '../../runs/summary/summary.ts';
import { type Html, html } from '../html.ts';

type Entry = NonNullable<Summary['drift']>['scores'][string];

const kinds = { none: 'good', moderate: 'warn', significant: 'bad' } as const;

/** How much a column or class has changed since an earlier run. */
export function changeBadge(entry: Entry | undefined): Html {
  if (entry === undefined || entry.psi === null || entry.change === null)
    return html`<span class="small muted">not compared</span>`;
  return html`<span class="nowrap">${entry.psi.toFixed(2)} <span class="badge ${kinds[entry.change]}">${entry.change}</span></span>`;
}
