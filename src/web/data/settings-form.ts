import * as z from 'zod';
import { RequestError } from '../../server/problems/problems.ts';
import { type ColumnChoice, changed, type DataSettings, typeChoice } from './settings.ts';

const choice = z.union([typeChoice, z.literal('auto')]);
const form = z.looseObject({ column: z.union([z.string(), z.array(z.string())]).optional() });

/**
 * The change that the form of the columns asks for: for each of its columns, given by index, `type-<index>`, and
 * `use-<index>` unless it is to be excluded. Other columns keep their settings.
 *
 * @throws RequestError `malformed`
 */
export function changesIn(body: unknown, names: readonly string[]): (settings: DataSettings) => DataSettings {
  const { data } = form.safeParse(body);
  if (data === undefined) throw new RequestError('malformed', 'The form has no columns.');
  const choices = new Map<string, ColumnChoice>();
  for (const text of [data.column ?? []].flat()) {
    const name = /^\d{1,6}$/.test(text) ? names[Number(text)] : undefined;
    const type = choice.safeParse(data[`type-${text}`]);
    if (name === undefined || !type.success)
      throw new RequestError('malformed', 'The form names a column or a type that does not exist.');
    // So that a form takes no more time than the file has columns.
    if (choices.has(name)) throw new RequestError('malformed', 'The form names a column twice.');
    choices.set(name, { type: type.data, isExcluded: data[`use-${text}`] === undefined });
  }
  return settings => changed(settings, choices);
}
