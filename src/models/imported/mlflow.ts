import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { jsonValue } from '../../base/json-value.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Library } from './imported-model.ts';

/** A model in a folder that MLflow wrote. */
export interface MlflowModel {
  library: Library;
  /** The path of the file, to be read as any other: it may be a pickle. */
  file: string;
  /** What its signature says of the columns, in order; undefined if there is none, or one of tensors. */
  inputs: readonly MlflowInput[] | undefined;
}

export interface MlflowInput {
  name: string;
  /** As MLflow names it: `double`, `long`, `string`, `boolean`. */
  type: string;
}

/** The file that makes a folder one of MLflow. */
export const MLFLOW_FILE = 'MLmodel';

const MAX_BYTES = 1 << 20;
const libraries: ReadonlyMap<string, Library> = new Map([
  ['lightgbm', 'LightGBM'],
  ['xgboost', 'XGBoost'],
  ['catboost', 'CatBoost'],
]);
const description = z.object({
  flavors: z.record(z.string(), z.looseObject({ data: z.string().optional() })),
  signature: z.object({ inputs: z.string().nullish() }).nullish(),
});
const columns = z.array(z.object({ name: z.string(), type: z.string() }));

/**
 * Finds the model in a folder of MLflow by its file `MLmodel`.
 *
 * @throws RowcastError `bad_model`, `unsupported_model` if it is of another library
 */
export async function readMlflow(folder: string): Promise<MlflowModel> {
  const fail = (what: string): never => {
    throw new RowcastError('bad_model', `${MLFLOW_FILE}: ${what}`, {
      hint: 'Give the folder that mlflow.lightgbm, mlflow.xgboost or mlflow.catboost wrote, or the file of the model in it.',
    });
  };
  const path = join(folder, MLFLOW_FILE);
  const { size } = await stat(path).catch(() => fail('the folder has no such file'));
  if (size > MAX_BYTES) fail(`it is larger than ${MAX_BYTES} bytes`);
  const text = await readFile(path).catch(() => fail('it cannot be read'));
  const parsed = description.safeParse(valueOfYaml(text.toString()));
  if (!parsed.success) return fail('it does not say what is in the folder');
  const { flavors, signature } = parsed.data;
  const [flavor, library] = [...libraries].find(([name]) => Object.hasOwn(flavors, name)) ?? [];
  if (flavor === undefined || library === undefined)
    throw new RowcastError(
      'unsupported_model',
      `${MLFLOW_FILE}: the model is of ${sanitize(Object.keys(flavors).join(', '))}, which is not read`,
      { hint: `The flavors ${[...libraries.keys()].join(', ')} are read.` },
    );
  const { data } = flavors[flavor] ?? {};
  if (data === undefined) return fail(`the flavor ${flavor} has no data`);
  const inputs = columns.safeParse(jsonValue(signature?.inputs ?? ''));
  return {
    library,
    file: await fileIn(folder, data, fail),
    inputs: inputs.success ? inputs.data : undefined,
  };
}

function valueOfYaml(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

/** The path of a file in a folder, which no link leads out of. */
async function fileIn(folder: string, name: string, fail: (what: string) => never): Promise<string> {
  const real = await realpath(join(folder, name)).catch(() => fail(`there is no file ${sanitize(name)}`));
  const inside = relative(await realpath(folder), real);
  if (isAbsolute(name) || isAbsolute(inside) || inside === '' || inside.split(sep)[0] === '..')
    return fail(`the file ${sanitize(name)} is outside the folder`);
  if (!(await stat(real)).isFile()) fail(`${sanitize(name)} is no file`);
  return join(folder, name);
}
