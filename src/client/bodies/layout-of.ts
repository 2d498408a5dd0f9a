import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { arrays } from './arrays.ts';
import type { BatchBody, BodyLayout } from './body-layout.ts';
import {
  type BodyTemplate,
  badTemplate,
  type Placeholder,
  type TemplatePart,
  templateParts,
} from './body-template.ts';
import type { BodyWriter } from './body-writer.ts';
import { typedCell } from './cell-type.ts';
import { columns } from './columns.ts';
import { csv } from './csv.ts';
import { objects } from './objects.ts';
import type { SentValues } from './sent-values.ts';
import { tensors } from './tensors.ts';

/** How the rows of a body are arranged. A layout writes them as a JSON value, which is a part of the body; a CSV is all of it. */
const layouts = {
  objects: missing =>
    objects(
      { opening: '[', rowOpening: '{', rowClosing: '}', between: ',', closing: ']' },
      { cellOf: typedCell, missing },
    ),
  'json-lines': missing =>
    objects(
      { opening: '', rowOpening: '{', rowClosing: '}', between: '\n', closing: '\n' },
      { cellOf: typedCell, missing, type: 'application/jsonlines' },
    ),
  arrays,
  columns,
  csv: missing => csv(missing, { header: true }),
  'csv-without-header': missing => csv(missing, { header: false }),
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
