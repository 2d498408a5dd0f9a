import type { Summary } from '../../runs/summary/summary.ts';
import { type DecileRow, decileChart } from '../charts/decile-chart.ts';
import { countText } from '../charts/text.ts';
import { type Html, html } from '../html.ts';

/** Classes that are drawn; the table of the numbers has all. */
const MAX_SHOWN = 40;

/** The distribution of the probabilities of each class. */
export function classesSection({ scores, drift, classes }: Summary): Html | undefined {
  // A summary of several files names the classes only in its scores.
  const names = classes.length > 0 ? classes : Object.keys(scores ?? {});
  const all = names.flatMap((name): DecileRow[] => {
    const own = scores !== null && Object.hasOwn(scores, name) ? scores[name] : undefined;
    if (own === undefined) return [];
    const psi = drift !== null && Object.hasOwn(drift.scores, name) ? drift.scores[name]?.psi : undefined;
    return [
      { name, mean: own.mean, deciles: own.deciles, note: psi == null ? undefined : `PSI ${psi.toFixed(2)}` },
    ];
  });
  if (all.length === 0) return undefined;
  const rows = all.length > MAX_SHOWN ? all.toSorted((a, b) => b.mean - a.mean).slice(0, MAX_SHOWN) : all;
  return html`<section class="card stack" aria-labelledby="classes"><h2 id="classes">Classes</h2>
${all.length > MAX_SHOWN && html`<p class="muted">The ${MAX_SHOWN} most probable of ${countText(all.length)} classes.</p>`}
${decileChart({ id: 'deciles', title: 'Probabilities', rows, all })}
</section>`;
}
