import { type Predictions, sumsToOne } from '../../contract/predictions.ts';
import { countRows } from '../../formats/csv/batch.ts';
import { textOf } from '../../formats/csv/fields/fields.ts';
import { encoderOf } from '../../reports/model/column-encoder.ts';
import type { Model } from '../../reports/model/model-file.ts';
import { predictColumns } from '../../reports/model/predict-columns.ts';
import { reportColumns } from '../../reports/report-columns.ts';
import { noPredictions } from '../../scoring/batch/join-predictions.ts';
import type { Attempt, AttemptRequest, BatchScorer, Scorer, ScorerInput } from '../../scoring/scorer.ts';

/**
 * Scores by a model in this process. Fields are interpreted exactly as in a request (`scoring/http/encode.ts`), without
 * going through JSON. It scores one batch at a time, and no attempt fails.
 *
 * @param nextTurn waits until a batch of this many rows may be scored
 */
export function localScorer(model: Model, nextTurn: (rows: number) => Promise<void>): Scorer {
  return {
    name: 'local',
    async describe() {
      const columns = reportColumns(model.columns);
      return { classes: [...model.classes], columns, tech_specs: {}, drivers: [] };
    },
    open: input => localBatches(model, input, nextTurn),
  };
}

function localBatches(
  model: Model,
  { features, layout, batchBytes }: ScorerInput,
  nextTurn: (rows: number) => Promise<void>,
): BatchScorer {
  const indexes = new Map(features.map(({ name, index }) => [name, index]));
  const readers = model.columns.map(column => ({
    index: indexes.get(column.name),
    encode: encoderOf(column),
  }));
  const readFields = layout.fieldReader();
  return {
    concurrency: 1,
    maxBatchBytes: () => batchBytes,
    rowOverhead: 0,
    parts: batch => [batch],
    memoryOf: () => 0,
    async attempt({ batch }: AttemptRequest): Promise<Attempt> {
      await nextTurn(countRows(batch));
      const fields = readFields(batch);
      const { rows, faults } = fields;
      if (rows === 0) return { faults, predictions: noPredictions };
      const columns = readers.map(({ index, encode }) =>
        Array.from({ length: rows }, (_, row) =>
          index === undefined ? null : encode(textOf(fields, row, index)),
        ),
      );
      return { faults, predictions: checked(model.classes, predictColumns(model.engine, columns)) };
    },
    release() {},
    confirm: () => true,
    async confirmAll() {},
  };
}

/** Checks probabilities: a row with invalid ones gets an error. */
export function checked(classes: readonly string[], probabilities: Float64Array): Predictions {
  const errors = new Map<number, { code: string; message: string }>();
  for (let at = 0; at < probabilities.length; at += classes.length) {
    const own = probabilities.subarray(at, at + classes.length);
    const sum = own.reduce((total, probability) => total + probability, 0);
    if (own.every(probability => probability >= 0 && probability <= 1) && sumsToOne(sum, classes.length))
      continue;
    errors.set(at / classes.length, {
      code: 'wrong_probabilities',
      message: `invalid probabilities: ${own.join(', ')}`,
    });
  }
  return { classes, probabilities, errors };
}
