import type { Report } from '../api/shapes.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { encoderOf, type LearnedColumn, learnColumns } from './columns.ts';
import { compileModel } from './compiled-model.ts';
import { impacts, mostShuffles } from './drivers.ts';
import { foldsOf } from './folds.ts';
import type { History } from './history.ts';
import { columnValues } from './learn/column-values.ts';
import { type Design, Designer, type Labelled } from './learn/design.ts';
import { encodingChoices, usualEncoding } from './learn/encoding-choices.ts';
import { type Selection, select } from './learn/select.ts';
import { predictRows } from './learn/specs.ts';
import { learn } from './learn/validate.ts';
import { localModel } from './local-model.ts';
import { accuracy, percent } from './measures.ts';
import { saveModel } from './model-format.ts';
import { qualityOf } from './quality.ts';
import { driversOf, reportColumns } from './report-columns.ts';
import { algorithmOf, encodingNotes, selectionNotes, servedNote } from './selection-notes.ts';
import { testingResultsCsv } from './testing-results.ts';
import { labelsOf, splitRows } from './training.ts';
import { valueNotes } from './value-notes.ts';
import { warningsOf } from './warnings.ts';

export interface FitOptions {
  id: string;
  /** The column to predict. */
  predict: string;
  seed: number;
}

/** Told in a few words what a training does next. */
export type OnStep = (step: string) => void;

export interface Fitted {
  report: Report;
  model: Buffer;
  testingResults: string;
}

/**
 * A whole training, from a history to a report, its model and its testing results:
 * 1. Validation chooses a configuration, on the 80 % of the rows that are not for testing.
 * 2. A model of this configuration is learned from the 80 %. The testing rows are used once, with this model: for all
 *    figures, the testing results and the drivers.
 * 3. A model of the same configuration is learned from all rows. This one is served.
 *
 * @throws RowcastError `no_usable_columns`, and those of `labelsOf` and `splitRows`
 */
export async function fit(
  history: History,
  { id, predict, seed }: FitOptions,
  onStep: OnStep = () => {},
): Promise<Fitted> {
  const { header, column, rows } = history;
  const { classes, labels } = labelsOf(history.labels, predict);
  const split = splitRows(labels, classes.length, seed);
  const learning = Int32Array.from([...split.training, ...split.validation]).sort();
  const learningRows = [...learning].map(place => rows[place] ?? []);
  const learned = learnColumns(header, learningRows, learningRows, column);
  if (learned.columns.length === 0) {
    throw new RowcastError('no_usable_columns', 'no column can be learned from', {
      hint: learned.notes.slice(0, 5).map(shown).join(' ') || `There is none but "${shown(predict)}".`,
    });
  }
  const labelled = { labels: Uint8Array.from(labels), classes: classes.length };
  const textsOf = (place: number) => rows.map(row => row[place] ?? '');
  const columns = learned.columns.map((each, i) =>
    columnValues(each, textsOf(learned.places[i] ?? 0), learning),
  );
  onStep('comparing models');
  const designer = new Designer(columns, labelled, learning, seed);
  const selection = select({
    designer,
    labelled,
    encodings: columns.map(usualEncoding),
    choices: encodingChoices(columns, classes.length),
    folds: foldsOf(split, labelled.labels, seed),
    seed,
  });
  const learnFrom = (from: Int32Array) => learnDesign(designer, selection, labelled, from, seed);

  onStep('learning from 80 % of the rows');
  const evaluated = learnFrom(learning);
  const model = localModel(compileModel(evaluated.predictor, evaluated.design.columns, classes.length));
  const places = evaluated.design.places.map(place => learned.places[place] ?? 0);
  const testing = encoded(
    evaluated.design.columns,
    places,
    split.testing.map(place => rows[place] ?? []),
  );
  const testingLabels = split.testing.map(place => labels[place] ?? 0);
  const probabilities = model.predict(testing);
  const learnedLabels = [...learning].map(place => labels[place] ?? 0);
  const scored = { probabilities, labels: testingLabels, classes: classes.length };
  const quality = qualityOf(scored, learnedLabels, classes);
  onStep('measuring drivers');
  const shares = impacts(model, testing, testingLabels, seed);
  const trainingAccuracy = accuracy({
    probabilities: predictRows(evaluated.predictor, evaluated.design, labelled, learning),
    labels: learnedLabels,
    classes: classes.length,
  });

  onStep('learning from all rows');
  const served = learnFrom(Int32Array.from(rows, (_, place) => place));
  return {
    report: {
      id,
      predicts: predict,
      classes,
      columns: reportColumns(evaluated.design.columns),
      tech_specs: {
        algorithm: algorithmOf(selection.candidate),
        testing_accuracy: percent(accuracy(scored)),
        train_test_split: '80/20',
        training_accuracy: percent(trainingAccuracy),
        validation_accuracy: percent(selection.merit.accuracy),
      },
      learned_from: { evaluated_model: learning.length, served_model: rows.length },
      quality,
      warnings: warningsOf(learned, { rows, labels, classes: classes.length }, split, quality),
      drivers: driversOf(evaluated.design.columns, shares),
      notes: [
        ...history.notes,
        ...learned.notes,
        ...valueNotes(learned, rows),
        ...encodingNotes(columns, selection.encodings),
        ...selectionNotes(selection),
        servedNote(learning.length, rows.length),
        ...wideNotes(evaluated.design.columns.length),
      ],
    },
    model: await saveModel({ columns: served.design.columns, classes, predictor: served.predictor }),
    testingResults: testingResultsCsv({
      header,
      rows: split.testing.map(place => rows[place] ?? []),
      predicts: predict,
      classes,
      labels: testingLabels,
      probabilities,
    }),
  };
}

function learnDesign(
  designer: Designer,
  { candidate, encodings, merit }: Selection,
  labelled: Labelled,
  rows: Int32Array,
  seed: number,
): { design: Design; predictor: ReturnType<typeof learn> } {
  const design = designer.design(encodings, rows);
  return { design, predictor: learn(candidate, design, labelled, rows, { rounds: merit.rounds, seed }) };
}

function encoded(
  columns: readonly LearnedColumn[],
  places: readonly number[],
  rows: readonly (readonly string[])[],
): (number | null)[][] {
  return columns.map((column, i) => {
    const encode = encoderOf(column);
    return rows.map(row => encode(row[places[i] ?? 0] ?? ''));
  });
}

function wideNotes(columns: number): string[] {
  return columns <= mostShuffles
    ? []
    : [`The drivers are a rough measure: ${columns} columns are too many to measure each one's impact.`];
}
