import type { TrainedReport } from '../../../base/contract/schemas.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import type { DateOrder } from '../../../formats/values/dates.ts';
import { countText } from '../../texts.ts';
import type { NumberProfile, TypicalValues } from '../evaluation/column-sample.ts';

/** A column of a report as a field of the form for personas. */
export interface PersonaField {
  /** The name of the control: column names may contain anything. */
  key: string;
  /** The column's name, as in the file. */
  name: string;
  /** The column's share of the total impact; undefined if the report does not have it as a driver. */
  impact: number | undefined;
  kind: FieldKind;
  /** The text that the control has for a typical persona; empty for a missing value. */
  typical: string;
  /** What may be entered. */
  hint: string;
}

export type FieldKind =
  | { type: 'number'; profile: NumberProfile | undefined }
  | { type: 'date'; order: DateOrder; hasTime: boolean; profile: NumberProfile | undefined }
  /** Few categories: the control's value is the index of a level, because browsers change line breaks in values. */
  | { type: 'choice'; levels: readonly string[] }
  /** Many categories, the most frequent first. */
  | { type: 'text'; levels: readonly string[]; hasOthers: boolean };

/** Fields of the form: more would be slow to draw. The other columns, which have less impact, keep typical values. */
export const MAX_FIELDS = 1_000;
/** More categories than this are easier to type than to find in a list. */
const MAX_CHOICES = 24;
const DAY_MS = 86_400_000;

/**
 * The fields of a report's columns, those with the largest impact first.
 *
 * @param learned the columns of its model
 * @param profiles what is typical of them, by name; without it, all values are missing
 */
export function personaFields(
  learned: readonly LearnedColumn[],
  drivers: TrainedReport['drivers'],
  profiles: ReadonlyMap<string, TypicalValues> | undefined,
): PersonaField[] {
  const columns = new Map<string, LearnedColumn[]>();
  for (const column of learned) columns.set(column.name, [...(columns.get(column.name) ?? []), column]);
  const impacts = new Map(drivers.map(({ column, impact }) => [column, impact]));
  const fields = [...columns].flatMap(([name, [first, ...others]], index): PersonaField[] => {
    if (first === undefined) return [];
    const profile = profiles?.get(name);
    const control = controlOf(first, others, profile?.numbers);
    const typical = profile === undefined || profile.isMostlyMissing ? '' : control.typical;
    return [{ key: `c${index}`, name, impact: impacts.get(name), ...control, typical }];
  });
  return fields.sort((a, b) => (b.impact ?? -1) - (a.impact ?? -1));
}

/** The control of a column, its text for a typical persona, and its hint. */
function controlOf(
  first: LearnedColumn,
  others: readonly LearnedColumn[],
  profile: NumberProfile | undefined,
): Pick<PersonaField, 'kind' | 'typical' | 'hint'> {
  switch (first.type) {
    case 'numerical': {
      const kind: FieldKind = { type: 'number', profile };
      if (profile === undefined) return { kind, typical: '', hint: 'A number' };
      return { kind, typical: String(profile.median), hint: `${profile.low} to ${profile.high} in the data` };
    }
    case 'date': {
      const hasTime = [first, ...others].some(column => column.type === 'date' && column.piece === 'hour');
      const kind: FieldKind = { type: 'date', order: first.order, hasTime, profile };
      if (profile === undefined) return { kind, typical: '', hint: 'A date' };
      const [low, high] = [profile.low, profile.high].map(days => controlDate(days, false));
      return { kind, typical: controlDate(profile.median, hasTime), hint: `${low} to ${high} in the data` };
    }
    case 'categorical': {
      const { levels } = first;
      if (levels.length <= MAX_CHOICES)
        return { kind: { type: 'choice', levels }, typical: levels.length === 0 ? '' : '0', hint: '' };
      const hasOthers = first.others === 'merged' || first.targets !== undefined;
      const hint = `One of ${countText(levels.length)} values`;
      return { kind: { type: 'text', levels, hasOthers }, typical: levels[0] ?? '', hint };
    }
  }
}

/** Days since 1970 as the value of a date control; empty beyond what it can show. */
export function controlDate(days: number, hasTime: boolean): string {
  const date = new Date(days * DAY_MS);
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, hasTime ? 16 : 10) : '';
}
