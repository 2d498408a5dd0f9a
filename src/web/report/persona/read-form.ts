import type { Value } from '../../../base/contract/schemas.ts';
import { finite, isBlank, numberOf } from '../../../formats/values/coerce.ts';
import { type DateOrder, daysOf } from '../../../formats/values/dates.ts';
import type { PersonaField } from './fields.ts';

/** A persona from the form. */
interface ReadPersona {
  /** Column and value, null for a missing one, in the order of the fields. */
  features: [name: string, value: Value][];
  /** By the key of a field: why its value cannot be used. */
  errors: Map<string, string>;
  /** By the key of a field: what to know about its value. */
  remarks: Map<string, string>;
}

/** The texts of a form's controls; of a control that is sent twice, a list. */
export type PersonaValues = Readonly<Record<string, unknown>>;

/** Converts the texts of the controls to values that `/user/persona` takes. */
export function readPersona(fields: readonly PersonaField[], values: PersonaValues): ReadPersona {
  const persona: ReadPersona = { features: [], errors: new Map(), remarks: new Map() };
  for (const field of fields) {
    const read = readField(field, controlText(values, field.key));
    if (read.error !== undefined) persona.errors.set(field.key, read.error);
    if (read.remark !== undefined) persona.remarks.set(field.key, read.remark);
    persona.features.push([field.name, read.value ?? null]);
  }
  return persona;
}

/** A field that was not sent is missing. */
export function controlText(values: PersonaValues, key: string): string {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return typeof value === 'string' ? value : '';
}

function readField({ kind }: PersonaField, text: string): { value?: Value; error?: string; remark?: string } {
  if (isBlank(text)) return { value: null };
  switch (kind.type) {
    case 'number': {
      const value = numberOf(text);
      return value === null ? { error: 'Enter a number, such as 12.5, or nothing.' } : { value };
    }
    case 'date': {
      const value = inOrder(text, kind.order);
      return value === undefined ? { error: 'Enter a date, such as 2024-05-31, or nothing.' } : { value };
    }
    case 'choice': {
      const value = /^\d{1,4}$/.test(text) ? kind.levels[Number(text)] : undefined;
      return value === undefined ? { error: 'Choose a value from the list, or nothing.' } : { value };
    }
    case 'text': {
      if (kind.levels.some(level => level.trim() === text.trim())) return { value: text };
      const meaning = kind.hasOthers ? 'it is treated like all rare values' : 'it counts as missing';
      return { value: text, remark: `The model has not learned this value: ${meaning}.` };
    }
  }
}

/** The date of a control, in the order in which the column's dates are written; undefined if it is not a date. */
function inOrder(text: string, order: DateOrder): string | undefined {
  const [, year = '', month = '', day = '', time = ''] =
    /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(?::\d{2})?)?$/.exec(text) ?? [];
  const dates = {
    ymd: `${year}-${month}-${day}`,
    dmy: `${day}/${month}/${year}`,
    mdy: `${month}/${day}/${year}`,
  };
  const written = year === '' ? text : `${dates[order]}${time.replace('T', ' ')}`;
  const days = daysOf(written, order);
  return days === null || finite(days) === null ? undefined : written;
}
