import type { Report } from '../api/shapes.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { chooseCandidate, type Part, type Parts } from './candidates.ts';
import { encoderOf, type LearnedColumns, learnColumns } from './columns.ts';
import { impacts, mostShuffles } from './drivers.ts';
import { algorithms, type Engine } from './engine.ts';
import type { History } from './history.ts';
import { accuracy, percent } from './measures.ts';
import { saveModel } from './model.ts';
import { driversOf, reportColumns } from './report-columns.ts';
import { testingResultsCsv } from './testing-results.ts';
import { labelsOf, splitRows, trialOf } from './training.ts';
import { tryAlgorithms } from './trial.ts';
import { valueNotes } from './value-notes.ts';

export interface FitOptions {
  id: string;
  /** The column to predict. */
  predict: string;
  seed: number;
}

export interface Fitted {
  report: Report;
  model: Buffer;
  testingResults: string;
}

/**
 * A whole training: from a history to a report, its model and its testing results. The testing part is used for
 * one prediction, at the end; nothing is learned from it. Call it in a thread that ends soon, for `saveModel`
 * leaks.
 *
 * @throws RowcastError `no_usable_columns`, and those of `labelsOf`, `splitRows` and the engine
 */
export async function fit(
  engine: Engine,
  history: History,
  { id, predict, seed }: FitOptions,
): Promise<Fitted> {
  const { header, column, rows } = history;
  const { classes, labels } = labelsOf(history.labels, predict);
  const split = splitRows(labels, classes.length, seed);
  const rowsOf = (places: readonly number[]) => places.map(place => rows[place] ?? []);
  const learningRows = rowsOf([...split.training, ...split.validation].sort((a, b) => a - b));
  const learned = learnColumns(header, learningRows, rowsOf(split.training), column);
  if (learned.columns.length === 0) {
    throw new RowcastError('no_usable_columns', 'no column can be learned from', {
      hint: learned.notes.slice(0, 5).map(shown).join(' ') || `There is none but "${shown(predict)}".`,
    });
  }
  const partOf = ({ columns, places }: LearnedColumns, of: readonly number[]): Part => {
    const part = rowsOf(of);
    return {
      columns: columns.map((learnt, i) => {
        const encode = encoderOf(learnt);
        return part.map(row => encode(row[places[i] ?? 0] ?? ''));
      }),
      labels: of.map(place => labels[place] ?? 0),
    };
  };
  const partsOf = (learnt: LearnedColumns, training: readonly number[]): Parts => ({
    types: learnt.columns.map(({ type }) => type),
    training: partOf(learnt, training),
    validation: partOf(learnt, split.validation),
  });
  const parts = partsOf(learned, split.training);
  const { training, validation } = parts;
  const testing = partOf(learned, split.testing);
  const trial = trialOf(split.training, labels, classes.length);
  // Learned anew: its levels are to be numbered by their frequency in its own rows.
  const tried = trial && learnColumns(header, learningRows, rowsOf(trial), column);
  const { contenders, notes: trialNotes } =
    trial && tried && tried.columns.length > 0
      ? await tryAlgorithms(engine, partsOf(tried, trial), split.training.length)
      : { contenders: algorithms, notes: [] };
  const { kept, notes } = await chooseCandidate(engine, parts, contenders);
  const accuracyOn = ({ columns, labels }: Part) =>
    accuracy({ probabilities: kept.model.predict(columns), labels, classes: classes.length });
  const shares = impacts(kept.model, validation.columns, validation.labels, seed);
  const probabilities = kept.model.predict(testing.columns);
  const testingLabels = testing.labels;
  return {
    report: {
      id,
      predicts: predict,
      classes,
      columns: reportColumns(learned.columns),
      tech_specs: {
        algorithm: kept.algorithm,
        testing_accuracy: percent(
          accuracy({ probabilities, labels: testingLabels, classes: classes.length }),
        ),
        train_test_split: '80/20',
        training_accuracy: percent(accuracyOn(training)),
        validation_accuracy: percent(kept.accuracy),
      },
      drivers: driversOf(learned.columns, shares),
      notes: [
        ...history.notes,
        ...learned.notes,
        ...valueNotes(learned, rows),
        ...trialNotes,
        ...notes,
        ...wideNotes(learned.columns.length),
      ],
    },
    model: await saveModel({ engine: kept.model, columns: learned.columns, classes }),
    testingResults: testingResultsCsv({
      header,
      rows: rowsOf(split.testing),
      predicts: predict,
      classes,
      labels: testingLabels,
      probabilities,
    }),
  };
}

function wideNotes(columns: number): string[] {
  return columns <= mostShuffles
    ? []
    : [`The drivers are a rough measure: ${columns} columns are too many to measure each one's impact.`];
}
