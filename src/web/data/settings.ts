import * as z from 'zod';
import { columnType } from '../../contract/schemas.ts';
import type { ColumnChoices } from '../../training/rows/learn-columns.ts';

/**
 * What a user decided about the columns of uploaded data, by name. Types are pairs, because an object's member cannot
 * have every name.
 */
export const dataSettings = z.object({
  types: z.array(z.tuple([z.string(), columnType])),
  excluded: z.array(z.string()),
});
export type DataSettings = z.infer<typeof dataSettings>;

export const noSettings: DataSettings = { types: [], excluded: [] };

/** The same as options of `train`. */
export const choicesOf = ({ types, excluded }: DataSettings): ColumnChoices => ({
  excludeFeatures: excluded,
  types: Object.fromEntries(types),
});

/** The settings with another choice for one column; `auto` is the detected type. */
export function changed(
  settings: DataSettings,
  name: string,
  choice: { type: DataSettings['types'][number][1] | 'auto'; isExcluded: boolean },
): DataSettings {
  const types = settings.types.filter(([other]) => other !== name);
  const excluded = settings.excluded.filter(other => other !== name);
  return {
    types: choice.type === 'auto' ? types : [...types, [name, choice.type]],
    excluded: choice.isExcluded ? [...excluded, name] : excluded,
  };
}
