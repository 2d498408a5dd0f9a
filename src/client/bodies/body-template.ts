import type { JsonValue } from '../../base/contract/json-value.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/**
 * A body around its rows: a JSON value in which these strings stand for something else.
 *
 * - `$rows`, exactly once: the rows, as their layout writes them
 * - `$columns`: the list of the names of the columns
 * - `$index`: the list of the numbers from 0 on, one for each row
 * - `$id`: a text that no other body has
 */
export type BodyTemplate = JsonValue;

const placeholders = ['$rows', '$columns', '$index', '$id'] as const;
export type Placeholder = (typeof placeholders)[number];

/** A piece of a body: literal JSON text, or what is written in its place. */
export type TemplatePart = { readonly text: string } | { readonly placeholder: Placeholder };

/**
 * The pieces of a template, one after the other.
 *
 * @throws RowcastError `bad_option` if `$rows` is not there exactly once, or another string looks like a placeholder
 */
export function templateParts(template: BodyTemplate): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  const write = (value: JsonValue): void => {
    if (typeof value === 'string' && isPlaceholder(value)) {
      parts.push({ text }, { placeholder: value });
      text = '';
    } else if (Array.isArray(value)) writeList('[', value, ']', write);
    else if (typeof value === 'object' && value !== null)
      writeList('{', Object.entries(value), '}', ([name, member]) => {
        text += `${JSON.stringify(name)}:`;
        write(member);
      });
    else text += JSON.stringify(value);
  };
  const writeList = <T>(
    opening: string,
    items: readonly T[],
    closing: string,
    item: (item: T) => void,
  ): void => {
    text += opening;
    for (const [place, each] of items.entries()) {
      if (place > 0) text += ',';
      item(each);
    }
    text += closing;
  };
  write(template);
  parts.push({ text });
  const rows = parts.filter(part => 'placeholder' in part && part.placeholder === '$rows').length;
  if (rows !== 1)
    throw badTemplate(rows === 0 ? 'it lacks "$rows"' : `it has "$rows" ${rows} times; once is enough`);
  return parts.filter(part => !('text' in part) || part.text !== '');
}

function isPlaceholder(text: string): text is Placeholder {
  if (placeholders.some(placeholder => placeholder === text)) return true;
  // It is a mistake in writing one of them, rather than text that a server wants.
  if (/^\$[a-z]+$/i.test(text))
    throw badTemplate(`"${sanitize(text)}" is not one of ${placeholders.join(', ')}`);
  return false;
}

export const badTemplate = (what: string): RowcastError =>
  new RowcastError('bad_option', `the body of requests: ${what}`, {
    hint: 'For example: { instances: $rows }, or { columns: $columns, data: $rows }.',
  });
