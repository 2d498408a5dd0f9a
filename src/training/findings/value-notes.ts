import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { columnEncoderOf, type LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { isBlank, numberOf } from '../../formats/values/coerce.ts';
import { isMissingSpelling, placeholderAmong } from '../../formats/values/missing-values.ts';
import type { LearnedColumns } from '../rows/learn-columns.ts';

/** The most missing-value spellings to list; the others are counted together. */
const MAX_SPELLINGS = 5;

/**
 * What numeric and date columns contain besides numbers and dates, one sentence per column and kind. Other texts are
 * not quoted: a report may be read by people who may not see its rows.
 */
export function columnNotes(
  { columns, indexes }: LearnedColumns,
  rows: readonly (readonly string[])[],
): string[] {
  return columns.flatMap((column, i) => {
    if (column.type === 'categorical' || (column.type === 'date' && column.piece !== 'day')) return [];
    const texts = rows.map(row => row[indexes[i] ?? 0] ?? '').filter(text => !isBlank(text));
    const read = columnEncoderOf(column);
    const values = Float64Array.from(texts, text => read(text) ?? Number.NaN);
    return [
      ...missingNotes(column, texts, values),
      ...(column.type === 'numerical' ? numberNotes(column, texts, values) : []),
    ];
  });
}

/** @param values NaN where a text is not a number or date */
function missingNotes(column: LearnedColumn, texts: readonly string[], values: Float64Array): string[] {
  const missing = texts.filter((_, i) => Number.isNaN(values[i]));
  if (missing.length === 0) return [];
  const kinds = new Map<string, number>();
  for (const text of missing) {
    const kind = isMissingSpelling(text) ? `"${text.trim()}"` : 'other text';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const ranked = [...kinds].sort((a, b) => b[1] - a[1]);
  const named = ranked.slice(0, MAX_SPELLINGS).map(([kind, times]) => `${kind} (${counted(times)})`);
  const others = ranked.slice(MAX_SPELLINGS).reduce((sum, [, times]) => sum + times, 0);
  if (others > 0) named.push(`others (${counted(others)})`);
  const what = column.type === 'date' ? 'dates' : 'numbers';
  return [
    `"${sanitize(column.name)}": ${counted(missing.length)} of ${counted(texts.length)} values are not ${what} and are treated as missing: ${named.join(', ')}.`,
  ];
}

function numberNotes(column: LearnedColumn, texts: readonly string[], values: Float64Array): string[] {
  const signs = new Map<string, number>();
  const isComma = column.type === 'numerical' && column.notation === 'comma';
  // Parsing a text again is slower than checking that it has only digits and a decimal point.
  const isPlain = (text: string) =>
    column.type === 'numerical' && column.notation === 'point' && !/[^\d.]/.test(text);
  texts.forEach((text, i) => {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value) || isPlain(text) || numberOf(text) === value) return;
    const sign = signOf(text, isComma);
    if (sign !== undefined) signs.set(sign, (signs.get(sign) ?? 0) + 1);
  });
  const numbers = values.filter(value => !Number.isNaN(value));
  const notes: string[] = [];
  const decimals = isComma
    ? texts.filter((text, i) => !Number.isNaN(values[i]) && text.includes(',')).length
    : 0;
  if (decimals > 0)
    notes.push(
      `"${sanitize(column.name)}": ${decimals === 1 ? '1 value has' : `${counted(decimals)} values have`} a comma, which is read as a decimal comma.`,
    );
  if (signs.size > 0) {
    const kinds = [...signs].map(([kind, times]) => `${kind} (${counted(times)})`).join(', ');
    const signed = [...signs].filter(([kind]) => kind !== separators);
    const all = signed.reduce((sum, [, times]) => sum + times, 0);
    const isMixed = signed.length > 1 || (signed.length === 1 && all < numbers.length);
    notes.push(
      `"${sanitize(column.name)}": numbers are read without their ${kinds}${isMixed ? '; check that all of them have the same unit' : ''}.`,
    );
  }
  const placeholder = placeholderAmong(numbers);
  if (placeholder !== undefined) {
    const times = numbers.filter(value => value === placeholder).length;
    notes.push(
      `"${sanitize(column.name)}": ${counted(times)} of ${counted(texts.length)} values are ${placeholder}, which is suspiciously far from all others. If it means missing, leave these cells empty.`,
    );
  }
  return notes;
}

const percent = 'percent sign';
const separators = 'thousands separators';

/** What a number contains besides digits and a decimal comma, if that is what a comma is. */
function signOf(text: string, isComma: boolean): string | undefined {
  if (text.includes('%')) return percent;
  const currency = /\p{Sc}|[A-Z]{3}/u.exec(text)?.[0];
  if (currency !== undefined) return `currency ${currency}`;
  return isComma && !/\d[^\d,]\d/.test(text) ? undefined : separators;
}
