import * as z from 'zod';
import { typeChoices } from '../../base/contract/limits.ts';
import type { ColumnType } from '../../base/contract/schemas.ts';
import type { ColumnChoices } from '../../training/rows/learn-columns.ts';

export const typeChoice = z.enum(typeChoices);

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
export interface ColumnChoice {
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
