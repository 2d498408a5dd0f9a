import type { TrainedReport } from '../../../src/base/contract/schemas.ts';

/** A report without a model. */
export const reportOf = (id: string, note = ''): TrainedReport => ({
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
  learned_from: { evaluated_model: 8, served_model: 10 },
  trained_from: { history_sha256: null, options: {}, by_definition: false },
  quality: {
    testing_rows: 2,
    accuracy: 0.5,
    accuracy_interval: { confidence: 0.95, low: 0.1, high: 0.9 },
    auc: 0.5,
    log_loss: 1,
    majority_class: 'no',
    majority_accuracy: 0.5,
    confusion: [
      [1, 0],
      [1, 0],
    ],
    calibration: [[], []],
  },
  warnings: [],
  profile: { rows: 10, columns: [], scores: [] },
  drivers: [{ column: 'a', impact: 1 }],
  notes: [note],
});
