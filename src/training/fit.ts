import { MAX_REPORT_COLUMNS } from '../base/contract/profile.ts';
import type { NumbersReport, TrainedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { counted, countOf } from '../base/number-text.ts';
import { sanitize } from '../base/sanitize.ts';
import type { LearnedColumn } from '../formats/columns/column-encoder.ts';
import { saveModel } from '../models/model/model-format.ts';
import { MAX_SHUFFLES, reportColumns } from './findings/drivers.ts';
import { findingsOfClasses, type LearnedModel } from './findings/measure-model.ts';
import { findingsOfNumbers } from './findings/numbers/measure-numbers.ts';
import { notesOfNumbers } from './findings/numbers/number-notes.ts';
import { algorithmOf, encodingNotes, selectionNotes, servedNote } from './findings/selection-notes.ts';
import { profileOf } from './findings/training-profile.ts';
import { columnNotes } from './findings/value-notes.ts';
import { columnValues, Designer, type Labelled } from './learn/features/design.ts';
import { type Loss, lossOfClasses } from './learn/loss.ts';
import { lossesOf } from './learn/numbers/losses.ts';
import { defaultEncoding, encodingChoices, type Selection, select } from './learn/selection/search.ts';
import { foldsOf, learn } from './learn/selection/validate.ts';
import { type ColumnChoices, learnColumns } from './rows/learn-columns.ts';
import type { LabelledHistory } from './rows/read-history.ts';
import { splitLabelled } from './rows/split-rows.ts';

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
  report: Omit<TrainedReport, 'trained_from'> | Omit<NumbersReport, 'trained_from'>;
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
 * @throws RowcastError `no_usable_columns`, `too_many_columns`, and those of `splitLabelled`
 */
export async function fit(
  history: LabelledHistory,
  { id, predict, seed, nulls = [], ...choices }: FitOptions,
  onStep: OnStep = () => {},
): Promise<Fitted> {
  const { header, column, rows } = history;
  const { classes, labels, split } = splitLabelled(history, predict, seed);
  const isOfNumbers = history.numbers !== undefined;
  const learning = Int32Array.from([...split.training, ...split.validation]).sort();
  const learningRows = [...learning].map(row => rows[row] ?? []);
  const learned = learnColumns(header, learningRows, column, choices);
  if (learned.columns.length === 0) {
    throw new RowcastError('no_usable_columns', 'no usable columns: there is nothing to learn from', {
      hint: learned.notes.slice(0, 5).map(sanitize).join(' ') || `"${sanitize(predict)}" is the only column.`,
    });
  }
  refuseTooMany(learned.columns);
  const numbers = Float64Array.from(labels);
  const labelled: Labelled = isOfNumbers
    ? { labels: numbers, classes: 1 }
    : { labels: Uint8Array.from(labels), classes: classes.length };
  const losses: [Loss, ...Loss[]] = isOfNumbers
    ? lossesOf(numbers, learning)
    : [lossOfClasses(classes.length)];
  const textsOf = (index: number) => rows.map(row => row[index] ?? '');
  const columns = learned.columns.map((each, i) =>
    columnValues(each, textsOf(learned.indexes[i] ?? 0), learning),
  );
  onStep('comparing models');
  const designer = new Designer(columns, labelled, learning, seed);
  const selection = select({
    designer,
    labelled,
    losses,
    encodings: columns.map(defaultEncoding),
    choices: encodingChoices(columns, labelled.classes),
    folds: foldsOf(split, labelled.labels, seed),
    seed,
  });
  const learnFrom = (from: Int32Array) => learnDesign(designer, selection, labelled, from, seed);

  onStep('training on 80% of the rows');
  const evaluated = learnFrom(learning);
  const { candidate, metrics } = selection;
  const { loss } = candidate;
  const trained = {
    model: evaluated,
    loss,
    algorithm: algorithmOf(candidate),
    validation: metrics,
    predict,
    header,
    rows,
    labelled,
    learned,
    indexes: evaluated.design.indexes.map(index => learned.indexes[index] ?? 0),
    split,
    learning,
    seed,
    onDrivers: () => onStep('measuring drivers'),
  };
  const found = isOfNumbers ? findingsOfNumbers(trained) : findingsOfClasses(trained, classes);

  onStep('training on all rows');
  const served = learnFrom(Int32Array.from(rows, (_, row) => row));
  const { columns: servedColumns, indexes: servedIndexes } = served.design;
  const profiled = profileOf({
    columns: servedColumns,
    indexes: servedIndexes.map(index => learned.indexes[index] ?? 0),
    rows,
  });
  const { predictor } = served;
  const { tech_specs, quality, ...kind } = found.own;
  return {
    report: {
      id,
      predicts: predict,
      ...kind,
      columns: reportColumns(evaluated.design.columns),
      ...(nulls.length > 0 && { nulls: [...nulls] }),
      tech_specs,
      learned_from: { evaluated_model: learning.length, served_model: rows.length },
      quality,
      warnings: found.warnings,
      drivers: found.drivers,
      profile: { ...profiled, ...found.profile },
      notes: [
        ...history.notes,
        ...notesOfNumbers(history.numbers, predict, split.testing.length),
        ...firstOf(learned.notes),
        ...firstOf(columnNotes(learned, rows)),
        ...firstOf(encodingNotes(columns, selection.encodings, labelled.classes)),
        ...selectionNotes(selection),
        servedNote(learning.length, rows.length),
        ...wideNotes(evaluated.design.columns.length),
      ],
      // All members of `found.own` are of classes, or all of numbers.
    } as Fitted['report'],
    model: await saveModel(
      isOfNumbers
        ? {
            columns: servedColumns,
            prediction: { kind: 'numbers', names: [] },
            predictor,
            output: loss.output,
          }
        : { columns: servedColumns, classes, predictor },
    ),
    testingResults: found.testingResults,
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

const wideNotes = (columns: number): string[] =>
  columns <= MAX_SHUFFLES
    ? []
    : [`The drivers are approximate: ${columns} columns are too many to measure the impact of each.`];
