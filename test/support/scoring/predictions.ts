import type { Labels, Numbers, Predictions } from '../../../src/base/contract/predictions.ts';

/** A label for each row. */
export function labels(texts: readonly string[]): Labels {
  const distinct = [...new Set(texts)];
  const indices = Int32Array.from(texts, text => distinct.indexOf(text));
  return { kind: 'label', labels: distinct, indices, errors: new Map() };
}

/** Numbers, row after row; one for each row if they have no names. */
export const numbers = (values: readonly number[], names: readonly string[] = []): Numbers => ({
  kind: 'numbers',
  names,
  values: Float64Array.from(values),
  errors: new Map(),
});

/** What predictions consist of, as plain lists, without their errors. */
export function plain(received: Predictions): Record<string, unknown> {
  const { kind: _, errors: __, ...lists } = received;
  return Object.fromEntries(
    Object.entries<ArrayLike<unknown>>(lists).map(([name, list]) => [name, Array.from(list)]),
  );
}
