import { basename } from 'node:path';
import { codePointOrder } from '../../base/contract/predictions.ts';
import type { ImportedReport, Warning } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { columnEncoderOf } from '../../formats/columns/column-encoder.ts';
import type { ConvertedModel } from '../../models/imported/to-model.ts';
import { compileModel } from '../../models/model/compiled-model.ts';
import { engineOf } from '../../models/model/engine.ts';
import { driversOf } from '../findings/drivers.ts';
import { measureModel } from '../findings/measure-model.ts';
import { baselineWarnings, measureNumbers, r2Text } from '../findings/numbers/measure-numbers.ts';
import { notesOfFewRows } from '../findings/numbers/number-notes.ts';
import { classScores, rocCurve } from '../findings/roc.ts';
import { extendedCsv, testingResultsCsv } from '../findings/testing-results.ts';
import { dominanceWarnings, majorityWarnings } from '../findings/warnings.ts';
import { type EvaluatedRows, percent } from '../learn/evaluation.ts';
import { MAX_NUMERIC_CLASSES } from '../rows/numbers/number-labels.ts';
import type { OpenOptions } from '../rows/open-batches.ts';
import { type LabelledHistory, readHistory } from '../rows/read-history.ts';

/** What labelled rows show of an imported model. */
export interface TestedModel {
  quality: NonNullable<ImportedReport['quality']>;
  specs: Omit<ImportedReport['tech_specs'], 'algorithm'>;
  drivers: ImportedReport['drivers'];
  warnings: Warning[];
  notes: string[];
  testingResults: Buffer;
}

interface TestOptions extends OpenOptions {
  /** The column with the labels. */
  predict: string;
  nulls: readonly string[];
  /** Whether the file of the model names its classes, so that nobody had to. */
  namesClasses: boolean;
}

/** Of the sample of a large file and of the shuffles of drivers, as `train` has it by default. */
const SEED = 1;

/** For a column that the model does not predict, instead of hints about options of `train`. */
const OTHER_COLUMN = 'Name the column that the model predicts, with what came true: --predict COLUMN.';
const codesOfOtherColumns: ReadonlySet<string> = new Set([
  'not_numbers',
  'numeric_target',
  'too_many_classes',
]);

/**
 * Measures a model with labelled rows, as `train` does with those that it keeps for testing.
 *
 * @throws RowcastError `bad_option` for labels that are not classes of the model, or are a column of it, those of `readHistory`
 */
export async function testModel(
  { model }: ConvertedModel,
  file: string,
  { predict, nulls, namesClasses, ...reading }: TestOptions,
): Promise<TestedModel> {
  const { columns, prediction, predictor, output } = model;
  const isOfNumber = prediction.kind === 'numbers' && prediction.names.length === 0;
  if (prediction.kind !== 'distribution' && !isOfNumber)
    throw new RowcastError(
      'bad_option',
      '--test is for models of one number, or of classes whose probabilities sum to 1',
      { hint: 'Leave out --test, or compare with the library’s predictions: --expect FILE.' },
    );
  const features = [...new Set(columns.map(({ name }) => name))];
  if (features.includes(predict))
    throw new RowcastError('bad_option', `"${sanitize(predict)}" is a column that the model predicts from`, {
      hint: OTHER_COLUMN,
    });
  const target = isOfNumber ? 'numbers' : 'classes';
  const numericClasses = Math.max(
    MAX_NUMERIC_CLASSES,
    prediction.kind === 'distribution' ? prediction.classes.length : 0,
  );
  const columnsRead = { predict, nulls, features, target, numericClasses } as const;
  const history = await readHistory({
    ...reading,
    ...columnsRead,
    historyFile: file,
    seed: SEED,
  }).catch(error => {
    if (error instanceof RowcastError) {
      Object.assign(error.location, { file, ...error.location });
      if (codesOfOtherColumns.has(error.code)) error.hint = OTHER_COLUMN;
    }
    throw error;
  });
  const { header, rows, singles, numbers = [] } = history;
  if (rows.length === 0)
    throw new RowcastError('too_few_rows', `no row has a value in "${sanitize(predict)}"`, {
      location: { file },
    });
  const engine = engineOf(compileModel(predictor, columns, prediction, output), {
    memory: BatchMemory.create(),
  });
  const testing = { rows, singles, indexes: columns.map(({ name }) => header.indexOf(name)) };
  const notes = [
    ...history.notes,
    `The metrics are of the rows in ${sanitize(basename(file))}: they are too good if the model was trained on any of them.`,
  ];
  if (prediction.kind !== 'distribution') {
    const { quality, predictions, shares } = measureNumbers(
      engine,
      columns,
      { ...testing, numbers },
      { seed: SEED },
    );
    const added = [`actual_${predict}`, `predicted_${predict}`];
    const valuesOf = (row: number) => [String(numbers[row]), String(predictions[row])];
    return {
      quality,
      specs: { testing_r2: r2Text(quality.r2) },
      drivers: driversOf(columns, shares),
      warnings: baselineWarnings(predictions, numbers, quality),
      notes: [...notes, ...notesOfFewRows(rows.length)],
      testingResults: Buffer.from(extendedCsv(history, { added, valuesOf })),
    };
  }
  const classes = [...prediction.classes];
  const labels = labelsIn(history, classes, { file, predict, namesClasses });
  const measured = measureModel(engine, columns, { ...testing, labels, classes }, { seed: SEED });
  const { quality, probabilities, shares } = measured;
  const drivers = driversOf(columns, shares);
  const scored = { probabilities, labels, classes: classes.length };
  return {
    quality,
    specs: { testing_accuracy: percent(measured.testingAccuracy) },
    drivers,
    warnings: [
      ...chanceWarnings(scored, classes, namesClasses),
      ...dominanceWarnings(drivers, quality),
      ...majorityWarnings(quality, classes.length),
    ],
    notes,
    testingResults: Buffer.from(
      testingResultsCsv({ header, rows, predicts: predict, classes, labels, probabilities }),
    ),
  };
}

/** Each row's class, as an index. @throws RowcastError `bad_option` */
function labelsIn(
  { labels }: LabelledHistory,
  classes: readonly string[],
  { file, predict, namesClasses }: { file: string; predict: string; namesClasses: boolean },
): number[] {
  const encode = columnEncoderOf({ name: predict, type: 'categorical', levels: [...classes] });
  const levels = labels.map(encode);
  const unknown = new Set(labels.filter((_, row) => levels[row] === null));
  if (unknown.size === 0) return levels.map(level => (level ?? 1) - 1);
  const all = new Set(labels);
  const listed = (names: Iterable<string>): string => formatList([...names].map(each => `"${each}"`));
  throw new RowcastError(
    'bad_option',
    `"${sanitize(predict)}" has labels that are no classes of the model: ${listed(unknown)}; its classes are ${listed(classes)}`,
    {
      location: { file },
      hint: namesClasses
        ? 'The file of the model names its classes: check --predict, and that the rows are of this model.'
        : `Check --predict, and give --classes with the sorted labels of the training${all.size === classes.length ? `, perhaps ${listed([...all].sort(codePointOrder))}` : ''}.`,
    },
  );
}

/** Standard errors below one half from which on an area under the curve is no chance. */
const CLEARLY = 3;

/** Warns of classes that rows get the less the more they are of them, as when classes were named in a wrong order. */
function chanceWarnings(scored: EvaluatedRows, classes: readonly string[], namesClasses: boolean): Warning[] {
  const check = namesClasses
    ? 'Check that the labels are what the model predicts.'
    : 'Check the order of --classes: it must be that of the sorted labels of the training (model.classes_).';
  return classes.flatMap((name, index) => {
    if (classes.length === 2 && index === 0) return [];
    const { ofClass, others } = classScores(scored, index);
    const area = rocCurve(ofClass, others)?.area ?? 1;
    // The standard error of the area if all rows are alike (Mann and Whitney, 1947).
    const [own, other] = [ofClass.length, others.length];
    if (area >= 0.5 - CLEARLY * Math.sqrt((own + other + 1) / (12 * own * other))) return [];
    return [
      {
        code: 'worse_than_chance' as const,
        message: `Rows of the class "${sanitize(name)}" get a lower probability of it than others: its AUC is ${area.toFixed(2)}, where 0.5 is chance. ${check}`,
      },
    ];
  });
}
