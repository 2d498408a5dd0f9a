import type { TrainedReport } from '../../../base/contract/schemas.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import type { DateOrder } from '../../../formats/values/dates.ts';
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
    const kind = kindOf(first, others, profile?.numbers);
    const typical = profile === undefined || profile.isMostlyMissing ? '' : typicalOf(kind);
    return [{ key: `c${index}`, name, impact: impacts.get(name), kind, typical }];
  });
  return fields.sort((a, b) => (b.impact ?? -1) - (a.impact ?? -1));
}

function kindOf(
  first: LearnedColumn,
  others: readonly LearnedColumn[],
  profile: NumberProfile | undefined,
): FieldKind {
  switch (first.type) {
    case 'numerical':
      return { type: 'number', profile };
    case 'date': {
      const hasTime = [first, ...others].some(column => column.type === 'date' && column.piece === 'hour');
      return { type: 'date', order: first.order, hasTime, profile };
    }
    case 'categorical': {
      const { levels } = first;
      if (levels.length <= MAX_CHOICES) return { type: 'choice', levels };
      return { type: 'text', levels, hasOthers: first.others === 'merged' || first.targets !== undefined };
    }
  }
}

function typicalOf(kind: FieldKind): string {
  switch (kind.type) {
    case 'number':
      return kind.profile === undefined ? '' : String(kind.profile.median);
    case 'date':
      return kind.profile === undefined ? '' : controlDate(kind.profile.median, kind.hasTime);
    case 'choice':
      return kind.levels.length === 0 ? '' : '0';
    case 'text':
      return kind.levels[0] ?? '';
  }
}

/** Days since 1970 as the value of a date control; empty beyond what it can show. */
export function controlDate(days: number, hasTime: boolean): string {
  const date = new Date(days * DAY_MS);
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, hasTime ? 16 : 10) : '';
}
