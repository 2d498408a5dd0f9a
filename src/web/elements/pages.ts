import { type Html, html } from '../html.ts';

/** Rows of a table on one page. */
const PAGE_ROWS = 100;

/** A page of a long list. */
export interface ListPage<T> {
  shown: readonly T[];
  /** From 1. */
  number: number;
  /** How many pages there are. */
  count: number;
}

/** The page of a list with a given number: the first one if that is not a page. */
export function pageOf<T>(all: readonly T[], given: string | undefined): ListPage<T> {
  const count = Math.max(1, Math.ceil(all.length / PAGE_ROWS));
  const wanted = Number(given);
  const number = Number.isInteger(wanted) && wanted >= 1 && wanted <= count ? wanted : 1;
  return { shown: all.slice((number - 1) * PAGE_ROWS, number * PAGE_ROWS), number, count };
}

/**
 * Links to the other pages of a list; nothing if there is only one page.
 *
 * @param list the parameter of the address that has the number, and how the list is called, such as `data`
 * @param anchor where on the page the list begins
 */
export function pageLinks(
  { number, count }: Pick<ListPage<unknown>, 'number' | 'count'>,
  { list, anchor }: { list: string; anchor: string },
): Html | false {
  if (count === 1) return false;
  const link = (to: number, text: string): Html =>
    html`<a class="button small" href="?${list}=${to}#${anchor}">${text}</a>`;
  return html`<nav class="row" aria-label="Pages of ${list}">${number > 1 && link(number - 1, 'Newer')}<span class="muted">Page ${number} of ${count}</span>${number < count && link(number + 1, 'Older')}</nav>`;
}
