import type { Report } from '../../../src/base/contract/schemas.ts';

/** A report without a model. */
export const reportOf = (id: string, note = ''): Report => ({
  id,
  predicts: 'outcome',
  classes: ['no', 'yes'],
  columns: [{ name: 'a', type: 'numerical' }],
  tech_specs: {
    algorithm: 'none',
    testing_accuracy: '50.0%',
    train_test_split: '80/20',
    training_accuracy: '50.0%',
    validation_accuracy: '50.0%',
  },
  drivers: [{ column: 'a', impact: 1 }],
  notes: [note],
});
