import { MAX_REPORT_COLUMNS } from '../base/contract/profile.ts';
import type { TrainedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { counted, countOf } from '../base/number-text.ts';
import { sanitize } from '../base/sanitize.ts';
import type { LearnedColumn } from '../formats/columns/column-encoder.ts';
import { saveModel } from '../models/model/model-format.ts';
import { driversOf, MAX_SHUFFLES, reportColumns } from './findings/drivers.ts';
import { type LearnedModel, measureModel } from './findings/evaluate.ts';
import { algorithmOf, encodingNotes, selectionNotes, servedNote } from './findings/selection-notes.ts';
import { testingResultsCsv } from './findings/testing-results.ts';
import { profileOf } from './findings/training-profile.ts';
import { columnNotes } from './findings/value-notes.ts';
import { warningsOf } from './findings/warnings.ts';
import { percent } from './learn/evaluation.ts';
import { columnValues, Designer, type Labelled } from './learn/features/design.ts';
import { defaultEncoding, encodingChoices, type Selection, select } from './learn/selection/search.ts';
import { foldsOf, learn } from './learn/selection/validate.ts';
import { type ColumnChoices, learnColumns } from './rows/learn-columns.ts';
import type { LabelledHistory } from './rows/read-history.ts';
import { labelsOf, splitRows } from './rows/split-rows.ts';

export interface FitOptions extends ColumnChoices {
  id: string;
  predict: string;
  seed: number;
  /** Texts that were treated as missing. */
  nulls?: readonly string[] | undefined;
}

/** Called with a short description of the next step. */
type OnStep = (step: string) => void;

export interface Fitted {
  /** Without what only the caller of a training knows: the bytes of the history and the options. */
  report: Omit<TrainedReport, 'trained_from'>;
  model: Buffer;
  testingResults: string;
}

/**
 * The whole training, from labelled rows to a report, its model and its testing results:
 * 1. Validation selects a configuration, using the 80% of the rows that are not for testing.
 * 2. A model with this configuration is trained on the 80%. The testing rows are used once, with this model: for all
 *    metrics, the testing results and the drivers.
 * 3. A model with the same configuration is trained on all rows. This one is served.
 *
 * @throws RowcastError `no_usable_columns`, `too_many_columns`, and those of `labelsOf` and `splitRows`
 */
export async function fit(
  history: LabelledHistory,
  { id, predict, seed, nulls = [], ...choices }: FitOptions,
  onStep: OnStep = () => {},
): Promise<Fitted> {
  const { header, column, rows } = history;
  const { classes, labels } = labelsOf(history.labels, predict, history.order);
  const split = splitRows(labels, classes.length, seed);
  const learning = Int32Array.from([...split.training, ...split.validation]).sort();
  const learningRows = [...learning].map(row => rows[row] ?? []);
  const learned = learnColumns(header, learningRows, learningRows, column, choices);
  if (learned.columns.length === 0) {
    throw new RowcastError('no_usable_columns', 'no usable columns: there is nothing to learn from', {
      hint: learned.notes.slice(0, 5).map(sanitize).join(' ') || `"${sanitize(predict)}" is the only column.`,
    });
  }
  refuseTooMany(learned.columns);
  const labelled = { labels: Uint8Array.from(labels), classes: classes.length };
  const textsOf = (index: number) => rows.map(row => row[index] ?? '');
  const columns = learned.columns.map((each, i) =>
    columnValues(each, textsOf(learned.indexes[i] ?? 0), learning),
  );
  onStep('comparing models');
  const designer = new Designer(columns, labelled, learning, seed);
  const selection = select({
    designer,
    labelled,
    encodings: columns.map(defaultEncoding),
    choices: encodingChoices(columns, classes.length),
    folds: foldsOf(split, labelled.labels, seed),
    seed,
  });
  const learnFrom = (from: Int32Array) => learnDesign(designer, selection, labelled, from, seed);

  onStep('training on 80% of the rows');
  const evaluated = learnFrom(learning);
  const testingRows = split.testing.map(row => rows[row] ?? []);
  const evaluation = measureModel(evaluated, {
    indexes: evaluated.design.indexes.map(index => learned.indexes[index] ?? 0),
    labelled,
    classes,
    learning,
    testing: { rows: testingRows, indexes: split.testing },
    seed,
    onDrivers: () => onStep('measuring drivers'),
  });
  const { quality } = evaluation;
  const drivers = driversOf(evaluated.design.columns, evaluation.shares);

  onStep('training on all rows');
  const served = learnFrom(Int32Array.from(rows, (_, row) => row));
  return {
    report: {
      id,
      predicts: predict,
      classes,
      columns: reportColumns(evaluated.design.columns),
      ...(nulls.length > 0 && { nulls: [...nulls] }),
      tech_specs: {
        algorithm: algorithmOf(selection.candidate),
        testing_accuracy: percent(evaluation.testingAccuracy),
        train_test_split: '80/20',
        training_accuracy: percent(evaluation.trainingAccuracy),
        validation_accuracy: percent(selection.metrics.accuracy),
      },
      learned_from: { evaluated_model: learning.length, served_model: rows.length },
      quality,
      warnings: warningsOf(learned, { rows, labels, classes: classes.length }, split, { quality, drivers }),
      drivers,
      profile: profileOf({
        columns: served.design.columns,
        indexes: served.design.indexes.map(index => learned.indexes[index] ?? 0),
        rows,
        classes,
        probabilities: evaluation.probabilities,
      }),
      notes: [
        ...history.notes,
        ...firstOf(learned.notes),
        ...firstOf(columnNotes(learned, rows)),
        ...firstOf(encodingNotes(columns, selection.encodings)),
        ...selectionNotes(selection),
        servedNote(learning.length, rows.length),
        ...wideNotes(evaluated.design.columns.length),
      ],
    },
    model: await saveModel({ columns: served.design.columns, classes, predictor: served.predictor }),
    testingResults: testingResultsCsv({
      header,
      rows: testingRows,
      predicts: predict,
      classes,
      labels: evaluation.labels,
      probabilities: evaluation.probabilities,
    }),
  };
}

function learnDesign(
  designer: Designer,
  { candidate, encodings, metrics }: Selection,
  labelled: Labelled,
  rows: Int32Array,
  seed: number,
): LearnedModel {
  const design = designer.design(encodings, rows);
  return { design, predictor: learn(candidate, design, labelled, rows, { rounds: metrics.rounds, seed }) };
}

/** A report with more could not be read again, or not be sent to a client. */
function refuseTooMany(columns: readonly LearnedColumn[]): void {
  const { size } = new Set(columns.map(({ name }) => name));
  if (size <= MAX_REPORT_COLUMNS) return;
  const most = counted(MAX_REPORT_COLUMNS);
  throw new RowcastError(
    'too_many_columns',
    `${counted(size)} columns can be used; a report has at most ${most}`,
    { hint: 'Choose columns with --features, or leave some out with --exclude-features.' },
  );
}

/** The most notes of a kind: each column may have one, and clients refuse a report with more than 20,000. */
const MAX_NOTES = 5_000;

const firstOf = (notes: readonly string[]): string[] =>
  notes.length <= MAX_NOTES
    ? [...notes]
    : [...notes.slice(0, MAX_NOTES), `There are ${countOf(notes.length - MAX_NOTES, 'more such note')}.`];

function wideNotes(columns: number): string[] {
  return columns <= MAX_SHUFFLES
    ? []
    : [`The drivers are approximate: ${columns} columns are too many to measure the impact of each.`];
}
