import type { Report } from '../../base/contract/schemas.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';

/** The columns that a model reads, each once, even if several features are derived from it. */
export function reportColumns(learned: readonly LearnedColumn[]): Report['columns'] {
  const columns = new Map<string, Report['columns'][number]>();
  for (const column of learned) {
    const { name, type } = column;
    const hasDecimalComma = column.type === 'numerical' && column.notation === 'comma';
    columns.set(name, { name, type, ...(hasDecimalComma && { decimal: ',' as const }) });
  }
  return [...columns.values()];
}

/** Each column's impact, summed over its features, the largest first. */
export function driversOf(learned: readonly LearnedColumn[], impacts: readonly number[]): Report['drivers'] {
  const sums = new Map<string, number>();
  learned.forEach(({ name }, i) => {
    sums.set(name, (sums.get(name) ?? 0) + (impacts[i] ?? 0));
  });
  return [...sums].map(([column, impact]) => ({ column, impact })).sort((a, b) => b.impact - a.impact);
}
