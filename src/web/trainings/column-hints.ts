import type { Profile } from '../data/profile/profile-shape.ts';
import { type DataSettings, typeOf } from '../data/settings.ts';
import { type Html, html, named } from '../html.ts';

const MAX_LISTED = 10;

const LEAK =
  'alone it nearly determines the column to predict. If it is known only afterwards, exclude it: otherwise the report looks better than its predictions will be';

/** What is noticeable about the columns that the report would learn from: those left out, and those that look like IDs. */
export function hintsOf(
  predicted: number,
  { columns }: Profile,
  { excluded, types }: DataSettings,
  leaks: readonly string[],
): Html {
  const chosen = new Map(types);
  const others = columns.filter((_, index) => index !== predicted);
  const leftOut = others.flatMap(({ name, leftOut: found, leftOutAs }) => {
    if (excluded.includes(name)) return [{ name, why: 'you excluded it' }];
    const type = chosen.get(name);
    const why = type === undefined ? found : leftOutAs[typeOf(type)];
    return why === null ? [] : [{ name, why }];
  });
  const doubtful = others.flatMap(({ name, hint }) => {
    if (excluded.includes(name)) return [];
    const leak = leaks.includes(name) ? [{ name, why: LEAK }] : [];
    return hint === null ? leak : [...leak, { name, why: hint }];
  });
  return html`
    ${list('Look at these columns', doubtful)}
    ${list('Columns that are left out', leftOut)}`;
}

function list(title: string, columns: readonly { name: string; why: string }[]): Html | false {
  if (columns.length === 0) return false;
  const more = columns.length - MAX_LISTED;
  return html`<section class="card"><h3>${title}</h3>
    <ul class="plain-list">${columns
      .slice(0, MAX_LISTED)
      .map(
        ({ name, why }) =>
          html`<li>${name === '' ? 'A column without a name' : named(name)}: ${why}${/[.!?]$/.test(why) ? '' : '.'}</li>`,
      )}</ul>
    ${more > 0 && html`<p class="muted">And ${more} more, which the page of the data lists.</p>`}</section>`;
}
