import * as z from 'zod';
import { typeChoices } from '../../base/contract/limits.ts';
import type { ColumnType } from '../../base/contract/schemas.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { ColumnChoices } from '../../training/rows/learn-columns.ts';

const typeChoice = z.enum(typeChoices);

/** The type of a choice, which may say the order of day and month too. */
export const columnTypeOf = (choice: z.infer<typeof typeChoice>): ColumnType =>
  choice === 'date:dmy' || choice === 'date:mdy' ? 'date' : choice;

/**
 * What a user decided about the columns of uploaded data, by name. Types are pairs, because an object's member cannot
 * have every name.
 */
export const dataSettings = z.object({
  types: z.array(z.tuple([z.string(), typeChoice])),
  excluded: z.array(z.string()),
});
export type DataSettings = z.infer<typeof dataSettings>;

export const noSettings: DataSettings = { types: [], excluded: [] };

/** The settings as options of `train`. */
export const choicesOf = ({ types, excluded }: DataSettings): ColumnChoices => ({
  excludeFeatures: excluded,
  types: Object.fromEntries(types),
});

/** `auto` is the detected type. */
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
  const seen = new Set<string>();
  const types: DataSettings['types'] = [];
  const excluded: string[] = [];
  for (const text of [data.column ?? []].flat()) {
    const name = /^\d{1,6}$/.test(text) ? names[Number(text)] : undefined;
    const type = choice.safeParse(data[`type-${text}`]);
    if (name === undefined || !type.success)
      throw new RequestError('malformed', 'The form names a column or a type that does not exist.');
    // So that a form takes no more time than the file has columns.
    if (seen.has(name)) throw new RequestError('malformed', 'The form names a column twice.');
    seen.add(name);
    if (type.data !== 'auto') types.push([name, type.data]);
    if (data[`use-${text}`] === undefined) excluded.push(name);
  }
  return before => ({
    types: [...before.types.filter(([name]) => !seen.has(name)), ...types],
    excluded: [...before.excluded.filter(name => !seen.has(name)), ...excluded],
  });
}
