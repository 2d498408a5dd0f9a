import type { Predictions } from '../../base/contract/predictions.ts';
import type { Description, Features, Value } from '../../base/contract/schemas.ts';
import { wordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { BodyWriter } from '../bodies/body-writer.ts';
import type { ServiceClient } from '../service-client.ts';

export interface OneOptions {
  /** The classes in the order of the probabilities in a response, if the service does not name them. */
  classes?: readonly string[] | undefined;
  /** Column → type, where the service does not state it; else the value says it. */
  types?: Readonly<Record<string, string>> | undefined;
}

/**
 * The prediction for one persona, by any protocol: it is sent as a batch of one.
 *
 * @throws CallError
 */
export async function predictOne(
  client: ServiceClient,
  { id, description }: { id: string; description: Description },
  features: Features,
  { classes, types = {} }: OneOptions,
): Promise<Predictions> {
  const stated = new Map(description.columns?.map(({ name, type }) => [name, type]));
  const columns = Object.entries(features).map(([name, value], index) => ({
    name,
    index,
    type: types[name] ?? stated.get(name) ?? typeOf(value),
  }));
  const known = { classes: classes ?? description.classes, description };
  const { request, body: layout, reader } = client.protocol.predict(id, known);
  const fields = fieldsOf(Object.values(features));
  const writer = new BodyWriter();
  writer.begin();
  layout.open({ features: columns, nulls: [] }).write(fields, wordView(fields.bytes), writer, ID);
  const predictionType =
    known.classes === undefined ? undefined : ({ kind: 'distribution', classes: known.classes } as const);
  const expected = { personas: 1, predictionType, allowAllInvalid: true, id: ID };
  return client.predict({
    request: { ...request, type: layout.type, body: writer.take() },
    reader: reader(),
    expected,
  });
}

/** The id of the only request, for protocols that return it. */
const ID = 'persona';

/** The type of a column that nobody states: a number is written as one whatever it looks like. */
function typeOf(value: Value): string | undefined {
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : undefined;
}

/** One row with these values as fields; a missing one is empty. */
function fieldsOf(values: readonly Value[]): Fields {
  const texts = values.map(value => Buffer.from(value === null ? '' : String(value)));
  const ends = new Int32Array(texts.length);
  let end = 0;
  for (const [index, { length }] of texts.entries()) ends[index] = end += length;
  const starts = Int32Array.from(ends, (_, index) => ends[index - 1] ?? 0);
  const bytes = Buffer.alloc(end);
  for (const [index, text] of texts.entries()) text.copy(bytes, starts[index]);
  return { rows: 1, width: texts.length, bytes, starts, ends, faults: new Map() };
}
