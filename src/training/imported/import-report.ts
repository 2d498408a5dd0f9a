import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ImportedReport } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readCatboost } from '../../models/imported/catboost.ts';
import {
  type ImportedModel,
  type Iterations,
  MAX_MODEL_BYTES,
} from '../../models/imported/imported-model.ts';
import { readLightgbm } from '../../models/imported/lightgbm.ts';
import { type MlflowInput, readMlflow } from '../../models/imported/mlflow.ts';
import type { ImportChoices } from '../../models/imported/model-columns.ts';
import { KIND_BYTES, modelKind } from '../../models/imported/model-kind.ts';
import { toModel } from '../../models/imported/to-model.ts';
import { readXgboost } from '../../models/imported/xgboost.ts';
import { saveModel } from '../../models/model/model-format.ts';
import { hasReport, readReport } from '../../models/store/report-store.ts';
import { reportFolder, reportsFolder } from '../../models/store/report-version.ts';
import { writeReport } from '../../models/store/write-report.ts';
import { prepareReports, unwritableHome } from '../../storage/local/home-folder.ts';
import { readRegular } from '../../storage/local/read-files.ts';
import type { OpenOptions } from '../rows/open-batches.ts';
import { compareWithExpected, expectedHeader } from './compare.ts';
import { testModel } from './test-model.ts';

export interface ImportOptions extends Omit<ImportChoices, 'header' | 'signature'> {
  /** The file of a model, or a folder of MLflow. */
  file: string;
  id: string;
  home: string;
  /** The name of what is predicted. */
  predict?: string | undefined;
  iterations?: Iterations | undefined;
  /** Texts that mean a missing value, in addition to the empty one. */
  nulls?: readonly string[] | undefined;
  /** A file of rows with the library's own predictions; see `compareWithExpected`. */
  expect?: string | undefined;
  /** A file of rows, of which `predict` is the label, for metrics, drivers and testing results. */
  test?: string | undefined;
  ifExists?: 'fail' | 'replace' | 'skip' | undefined;
}

const readers = { LightGBM: readLightgbm, XGBoost: readXgboost, CatBoost: readCatboost };
const MAX_RECORD_BYTES = 1 << 20;
const ORDER_OF_CLASSES =
  'Nothing in the file shows whether --classes are in the right order: --expect with probabilities, or --test with labels, finds out.';

/**
 * Makes a report of a model that another library trained.
 *
 * @returns the report, and whether it was there before and is kept
 * @throws RowcastError `no_such_file`, `bad_model`, `unsupported_model`, `bad_option`, `differs_from_expected`,
 *   `report_exists`, `bad_report_id`, `unwritable_home`
 */
export async function importReport(
  options: ImportOptions,
): Promise<{ report: ImportedReport; isSkipped: boolean }> {
  const { id, home, ifExists = 'fail', nulls = [], predict } = options;
  await checkTest(options);
  const before =
    ifExists === 'replace' || !(await hasReport(home, id)) ? undefined : await readReport(home, id);
  if (before !== undefined) {
    if (ifExists === 'skip' && 'imported_from' in before) return { report: before, isSkipped: true };
    throw new RowcastError('report_exists', `there is already a report "${id}"`, {
      location: { file: reportFolder(home, id) },
      hint: 'Use --if-exists replace to import it again, or --report ID for a new one.',
    });
  }
  const { imported, sha256, signature } = await readImported(options);
  const reading: OpenOptions = { maxRecordBytes: MAX_RECORD_BYTES };
  const { expect, test } = options;
  const rows = expect ?? test;
  const header = rows === undefined ? undefined : await expectedHeader(rows, reading);
  const converted = toModel(imported, { ...options, header, signature });
  const compared =
    expect === undefined ? undefined : await compareWithExpected(converted, expect, { ...reading, nulls });
  const hasNames = imported.predicts.kind === 'classes' && imported.predicts.names !== undefined;
  const namesClasses = hasNames && options.classes === undefined;
  const tested =
    test === undefined || predict === undefined
      ? undefined
      : await testModel(converted, test, { ...reading, predict, nulls, namesClasses });
  const { columns, prediction } = converted.model;
  // What shows whether classes are in the right order.
  const isOrderKnown =
    tested !== undefined ||
    namesClasses ||
    options.classes === undefined ||
    compared?.hasPredictions === true;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const { best, ...iterations } = imported.iterations;
  const report: ImportedReport = {
    id,
    ...(predict !== undefined && { predicts: predict }),
    ...(prediction.kind === 'distribution' && { classes: [...prediction.classes] }),
    ...(prediction.kind === 'numbers' && { numbers: [...prediction.names] }),
    columns: Array.from(types, ([name, type]) => ({
      name,
      type,
      ...(type === 'numerical' && ({ notation: 'python' } as const)),
    })),
    ...(nulls.length > 0 && { nulls: [...nulls] }),
    tech_specs: {
      algorithm: `${imported.library}, ${countOf(imported.trees.length, 'tree')}`,
      ...tested?.specs,
    },
    imported_from: {
      library: imported.library,
      version: imported.version,
      objective: imported.objective,
      trees: imported.trees.length,
      features: imported.features.length,
      iterations: { ...iterations, ...(best !== undefined && { best }) },
      file_sha256: sha256,
      ...(compared !== undefined && { compared: compared.counts }),
    },
    ...(tested !== undefined && { quality: tested.quality }),
    warnings: tested?.warnings ?? [],
    drivers: tested?.drivers ?? [],
    notes: [...converted.notes, ...(isOrderKnown ? [] : [ORDER_OF_CLASSES]), ...(tested?.notes ?? [])],
  };
  const made = await prepareReports(home, reportsFolder(home));
  try {
    const model = await saveModel(converted.model);
    const { testingResults = new Uint8Array() } = tested ?? {};
    await writeReport(home, { report, model, testingResults }).catch(cause => {
      throw unwritableHome(home, 'reports', cause);
    });
  } catch (error) {
    await made.undo();
    throw error;
  }
  return { report, isSkipped: false };
}

/** @throws RowcastError `bad_option` for files of rows that cannot be read */
async function checkTest({ test, expect, predict }: ImportOptions): Promise<void> {
  if (test !== undefined && predict === undefined)
    throw new RowcastError('bad_option', '--test needs the column that has the labels', {
      hint: 'Name it with --predict COLUMN.',
    });
  for (const [option, file] of Object.entries({ expect, test })) {
    const isPipe = file !== undefined && (await stat(file).catch(() => undefined))?.isFile() === false;
    if (isPipe || file === '-')
      throw new RowcastError('bad_option', `--${option} cannot be a pipe: the file is read more than once`);
  }
}

/** Reads a file, or the one in a folder of MLflow. */
async function readImported({ file, iterations = 'default' }: ImportOptions): Promise<{
  imported: ImportedModel;
  sha256: string;
  signature: readonly MlflowInput[] | undefined;
}> {
  const found = await stat(file).catch(cause => {
    throw new RowcastError('no_such_file', 'the file of the model does not exist or cannot be read', {
      location: { file },
      cause,
    });
  });
  if (!found.isDirectory() && !found.isFile())
    throw new RowcastError('no_such_file', 'the model is neither a file nor a folder', {
      location: { file },
      hint: 'A pipe cannot be read here: write it to a file first.',
    });
  try {
    const mlflow = found.isDirectory() ? await readMlflow(file) : undefined;
    const path = mlflow?.file ?? file;
    const bytes = await readRegular(path, MAX_MODEL_BYTES);
    const { library } = modelKind(bytes.subarray(0, KIND_BYTES));
    const imported = readers[library](bytes, iterations);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { imported, sha256, signature: mlflow?.inputs };
  } catch (error) {
    if (error instanceof RowcastError)
      Object.assign(error.location, { file: basename(file), ...error.location });
    throw error;
  }
}

/** Reads `COLUMN=A,B` and `COLUMN=@FILE`, with a category on each line. */
export async function readCategories(given: readonly string[]): Promise<Record<string, readonly string[]>> {
  const entries: [string, string[]][] = [];
  for (const text of given) {
    const at = text.indexOf('=');
    const last = entries.at(-1);
    // The commas of the list have cut it too.
    if (at < 0 && last !== undefined) {
      last[1].push(text);
      continue;
    }
    if (at < 1)
      throw new RowcastError(
        'usage',
        `--categories: "${sanitize(text)}" is neither COLUMN=A,B,C nor COLUMN=@FILE`,
      );
    const [column, list] = [text.slice(0, at), text.slice(at + 1)];
    entries.push([column, list.startsWith('@') ? await linesOf(list.slice(1)) : [list]]);
  }
  return Object.fromEntries(entries);
}

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(cause => {
    throw new RowcastError('no_such_file', 'the file of --categories does not exist or cannot be read', {
      location: { file },
      cause,
    });
  });
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
