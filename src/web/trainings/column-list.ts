import type { Profile, ProfiledColumn } from '../data/profile/profile-shape.ts';
import { type Html, html, named } from '../html.ts';
import { type Target, targetOf } from './target.ts';

/** All columns, to choose the one to predict. */
export function columnList(dataId: string, profile: Profile): Html {
  return html`
    <div class="stack">
      <h2 id="choose">Choose the column to predict</h2>
      <p class="lead">It must be known for past rows, and is what you want to know about new ones.</p>
      <div class="table-box" tabindex="0" role="region" aria-labelledby="choose"><table>
        <thead><tr><th scope="col">Column</th><th scope="col" class="wide-only">Type</th><th scope="col">Values</th></tr></thead>
        <tbody>${profile.columns.map((column, index) => row(dataId, profile, column, index))}</tbody>
      </table></div>
    </div>`;
}

function row(dataId: string, profile: Profile, column: ProfiledColumn, index: number): Html {
  const target = targetOf(column, profile);
  const name = column.name === '' ? html`<em>column ${index + 1}</em>` : named(column.name);
  const link = html`<a href="/data/${dataId}/predict?column=${index}">${name}</a>`;
  return html`<tr>
    <th scope="row" class="column-name">${target.kind === 'refused' ? name : link}</th>
    <td class="muted wide-only">${column.type}</td>
    <td class="target">${summaryOf(target, column)}</td>
  </tr>`;
}

const MAX_NAMED = 4;

function summaryOf(target: Target, { distinct }: ProfiledColumn): Html {
  switch (target.kind) {
    case 'refused':
      return html`<span class="muted">Cannot be predicted: ${target.problem.message}.</span>`;
    case 'amounts':
      return html`<span class="muted">${counted(distinct)} numbers, to be divided into ranges</span>`;
    case 'classes': {
      const first = target.classes
        .slice(0, MAX_NAMED)
        .map(({ name }, i) => html`${i > 0 && ', '}${named(name)}`);
      const more = target.classes.length + target.unlisted - MAX_NAMED;
      return html`${first}${more > 0 && html` <span class="muted">and ${more} more</span>`}`;
    }
  }
}

const counted = ({ count, isMore }: ProfiledColumn['distinct']): string =>
  `${isMore ? 'more than ' : ''}${count.toLocaleString('en-US')}`;
