import type { ImportedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import type { Iterations } from '../models/imported/imported-model.ts';
import { importReport } from '../training/imported/import-report.ts';
import { rejectsWithRowcastError } from './as-rowcast-error.ts';
import { checkObject, pathOf, readGiven } from './options/given-values.ts';
import { type GivenImportOptions, importTable } from './options/library-options.ts';

/** Options of `importModel`: those of `rowcast import` in camel case. `report` is the id of the new report. */
export interface ImportModelOptions extends GivenImportOptions {
  /** The file of a model of LightGBM, XGBoost or CatBoost, or a folder of MLflow. */
  model: string | URL;
  report: string;
  /** By column, its categories in the order of the training, if the file does not have them. */
  categories?: Readonly<Record<string, readonly string[]>> | undefined;
  /** How many iterations of the model to use; by default as the library does. */
  iterations?: 'best' | 'all' | number | undefined;
  /** The folder of the local reports; `.rowcast` by default. */
  home?: string | undefined;
}

/**
 * Makes a report of a model that another library trained, and stores it in `home`.
 *
 * @returns the new report, or with `ifExists: 'skip'` perhaps the one that was there; what was assumed is in its `notes`
 * @throws RowcastError `no_such_file`, `bad_model`, `unsupported_model`, `bad_option`, `differs_from_expected`,
 *   `report_exists`, `unwritable_home`
 */
export function importModel(given: ImportModelOptions): Promise<ImportedReport> {
  return rejectsWithRowcastError(async () => {
    checkObject('importModel', given, 'model and report');
    const { home = '.rowcast', categories, iterations } = given;
    const others = ['model', 'home', 'categories', 'iterations'];
    const { report: id, ...values } = readGiven(importTable, given, others);
    if (id === undefined) throw new RowcastError('bad_option', 'report: expected the id of the new report');
    checkIterations(iterations);
    checkCategories(categories);
    const file = pathOf('model', given.model);
    const { report } = await importReport({ ...values, file, id, home, categories, iterations });
    return report;
  });
}

function checkIterations(given: unknown): asserts given is Iterations | undefined {
  const isCount = Number.isSafeInteger(given) && Number(given) > 0;
  if (given !== undefined && given !== 'best' && given !== 'all' && !isCount)
    throw new RowcastError('bad_option', "iterations: expected 'best', 'all' or a number from 1 on");
}

function checkCategories(given: unknown): void {
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.every(each => typeof each === 'string');
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || !Object.values(given).every(isList))
    throw new RowcastError('bad_option', 'categories: expected an object of lists of texts, by column');
}
