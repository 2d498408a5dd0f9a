import type { EvaluationFacts } from '../../src/evaluate/evaluation.ts';

/** What a caller knows of an evaluation. */
export const facts: EvaluationFacts = {
  version: '1.0.0',
  evaluated_at: '2026-11-03T06:00:00.000Z',
  report: 'churn',
  predicts: 'churned',
  threshold: 0.5,
  scored: ['scored-october.csv'],
  labels: 'outcomes.csv',
  joined: { by: 'key', key: ['customer_id'], labels: 0, unused: {} },
  testing: null,
};
