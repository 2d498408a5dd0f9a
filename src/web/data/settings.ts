import * as z from 'zod';
import { typeChoices } from '../../base/contract/limits.ts';
import type { ColumnType } from '../../base/contract/schemas.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { ColumnChoices } from '../../training/rows/learn-columns.ts';

const typeChoice = z.enum(typeChoices);

/** The type of a choice, which may say the order of day and month too. */
export const typeOf = (choice: z.infer<typeof typeChoice>): ColumnType =>
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

/** What the form says about a column; `auto` is the detected type. */
interface ColumnChoice {
  type: DataSettings['types'][number][1] | 'auto';
  isExcluded: boolean;
}

/** The settings with other choices for some columns, by name. */
export function changed(settings: DataSettings, choices: ReadonlyMap<string, ColumnChoice>): DataSettings {
  const types = settings.types.filter(([name]) => !choices.has(name));
  const excluded = settings.excluded.filter(name => !choices.has(name));
  for (const [name, { type, isExcluded }] of choices) {
    if (type !== 'auto') types.push([name, type]);
    if (isExcluded) excluded.push(name);
  }
  return { types, excluded };
}

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
