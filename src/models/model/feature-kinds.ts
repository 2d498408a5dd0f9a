import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';

/** What a predictor knows about a feature: for a categorical one, its highest level; levels start at 1. */
export interface FeatureKind {
  highest: number | undefined;
}

/** The features of a model's columns, in order: a target-encoded column is one for each score. */
export function featureKinds(columns: readonly LearnedColumn[], stride: number): FeatureKind[] {
  return columns.flatMap((column): FeatureKind[] => {
    if (column.type !== 'categorical') return [{ highest: undefined }];
    if (column.targets !== undefined) return Array.from({ length: stride }, () => ({ highest: undefined }));
    return [{ highest: column.levels.length + (column.others === 'merged' ? 1 : 0) }];
  });
}
