import type { MissingStyle } from '../../base/contract/limits.ts';
import type { JsonValue } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BatchBody, BodyLayout } from './body-layout.ts';
import type { BodyWriter } from './body-writer.ts';
import type { SentValues } from './cells.ts';
import { arrays, columns, csvRows, objects } from './row-layouts.ts';
import { tensors } from './tensors.ts';

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
type Placeholder = (typeof placeholders)[number];

/** A piece of a body: literal JSON text, or what is written in its place. */
type TemplatePart = { readonly text: string } | { readonly placeholder: Placeholder };

/**
 * The pieces of a template, one after the other.
 *
 * @throws RowcastError `bad_option` if `$rows` is not there exactly once, or another string looks like a placeholder
 */
function templateParts(template: BodyTemplate): TemplatePart[] {
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

const badTemplate = (what: string): RowcastError =>
  new RowcastError('bad_option', `the body of requests: ${what}`, {
    hint: 'For example: { instances: $rows }, or { columns: $columns, data: $rows }.',
  });

/**
 * How the rows of a body are arranged. A layout writes them as a JSON value, which is a part of the body; a CSV is all
 * of it.
 */
const layouts = {
  objects: missing =>
    objects(missing, { opening: '[', rowOpening: '{', rowClosing: '}', between: ',', closing: ']' }),
  'json-lines': missing =>
    objects(
      missing,
      { opening: '', rowOpening: '{', rowClosing: '}', between: '\n', closing: '\n' },
      { type: 'application/jsonlines' },
    ),
  arrays,
  columns,
  csv: missing => csvRows(missing, { header: true }),
  'csv-without-header': missing => csvRows(missing, { header: false }),
  tensors,
} as const satisfies Record<string, (missing: MissingStyle) => BodyLayout>;

export type LayoutName = keyof typeof layouts;
export const layoutNames = Object.keys(layouts) as LayoutName[]; // its own keys

/** Whether rows are lines, which are all of the body. */
export const isOfLines = (layout: LayoutName): boolean => lines.includes(layout);

const lines: readonly LayoutName[] = ['csv', 'csv-without-header', 'json-lines'];

export interface LayoutRequest {
  readonly layout: LayoutName;
  /** What is around the rows. That of lines is `$rows`. */
  readonly body: BodyTemplate;
}

/**
 * The layout of bodies that a description names.
 *
 * @param missing how a missing value is written, unless the user says otherwise
 * @throws RowcastError `bad_option` if the template is wrong, or cannot be of this layout
 */
export function layoutOf({ layout: name, body }: LayoutRequest, missing: MissingStyle): BodyLayout {
  const layout = layouts[name](missing);
  if (body === '$rows') return layout;
  if (isOfLines(name)) throw badTemplate(`the layout ${name} has nothing around its rows, so it is "$rows"`);
  return withTemplate(layout, body);
}

/** A layout with something around its rows. @throws RowcastError `bad_option` if the template is wrong */
export function withTemplate(layout: BodyLayout, body: BodyTemplate): BodyLayout {
  const parts = templateParts(body);
  return {
    type: layout.type,
    open: (sent, memory) => around(layout.open(sent, memory), sent, parts),
  };
}

type Write = BatchBody['write'];

/** Writes the pieces of a template one after the other, the rows among them. */
function around(rows: BatchBody, sent: SentValues, parts: readonly TemplatePart[]): BatchBody {
  const writers: Readonly<Record<Placeholder, Write>> = {
    $rows: (fields, words, into, id) => rows.write(fields, words, into, id),
    $columns: copying(JSON.stringify(sent.features.map(({ name }) => name))),
    $index: ({ rows: count }, _words, into) => writeIndex(count, into),
    $id: (_fields, _words, into, id) => into.text(JSON.stringify(id)),
  };
  const writes = parts.map(part => ('text' in part ? copying(part.text) : writers[part.placeholder]));
  // A number of up to five digits, and a comma.
  const indexBytes = writes.includes(writers.$index) ? 6 : 0;
  return {
    ...rows,
    rowOverhead: rows.rowOverhead + indexBytes,
    write(fields, words, into, id) {
      for (const write of writes) write(fields, words, into, id);
    },
  };
}

function copying(text: string): Write {
  const view: WordView = wordView(Buffer.from(text));
  return (_fields, _words, into) => into.copy(view);
}

function writeIndex(rows: number, into: BodyWriter): void {
  for (let row = 0; row < rows; row++) into.text(`${row === 0 ? '[' : ','}${row}`);
  into.text(']');
}
