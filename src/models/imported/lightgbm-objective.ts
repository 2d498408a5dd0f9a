import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Link } from '../model/predictor-spec.ts';
import type { ImportedModel } from './imported-model.ts';

/** What an objective makes of scores. */
export type ObjectiveMeaning = Pick<ImportedModel, 'objective' | 'link' | 'predicts'>;

const IDENTITY: Link = { kind: 'identity' };

/** Other names, which old versions wrote or which a model trained with them may have: `ParseObjectiveAlias`. */
const aliases: Readonly<Record<string, string>> = {
  regression_l2: 'regression',
  mean_squared_error: 'regression',
  mse: 'regression',
  l2: 'regression',
  l2_root: 'regression',
  root_mean_squared_error: 'regression',
  rmse: 'regression',
  mean_absolute_error: 'regression_l1',
  l1: 'regression_l1',
  mae: 'regression_l1',
  softmax: 'multiclass',
  multiclass_ova: 'multiclassova',
  ova: 'multiclassova',
  ovr: 'multiclassova',
  xentropy: 'cross_entropy',
  xentlambda: 'cross_entropy_lambda',
  mean_absolute_percentage_error: 'mape',
  xendcg: 'rank_xendcg',
  xe_ndcg: 'rank_xendcg',
  xe_ndcg_mart: 'rank_xendcg',
  xendcg_mart: 'rank_xendcg',
  none: 'custom',
  null: 'custom',
  na: 'custom',
};

/** The objectives that predict one number, with the link of each. `sqrt` is for those whose class reads it. */
const numbers: Readonly<Record<string, { link: Link; sqrt?: Link }>> = {
  regression: { link: IDENTITY, sqrt: { kind: 'signedSquare' } },
  regression_l1: { link: IDENTITY, sqrt: { kind: 'signedSquare' } },
  fair: { link: IDENTITY, sqrt: { kind: 'signedSquare' } },
  quantile: { link: IDENTITY, sqrt: { kind: 'signedSquare' } },
  mape: { link: IDENTITY, sqrt: { kind: 'signedSquare' } },
  // These switch `sqrt` off when they are read.
  huber: { link: IDENTITY, sqrt: IDENTITY },
  poisson: { link: { kind: 'exp' }, sqrt: { kind: 'exp' } },
  gamma: { link: { kind: 'exp' }, sqrt: { kind: 'exp' } },
  tweedie: { link: { kind: 'exp' }, sqrt: { kind: 'exp' } },
  cross_entropy: { link: { kind: 'sigmoid', factor: 1 } },
  cross_entropy_lambda: { link: { kind: 'log1pexp' } },
  lambdarank: { link: IDENTITY },
  rank_xendcg: { link: IDENTITY },
};

/**
 * What the objective of a LightGBM file predicts; `ConvertOutput` in the library's `src/objective`.
 *
 * @param text as in `objective=binary sigmoid:1`; undefined if the file has none, because it was a function in Python
 * @param scores trees of an iteration
 * @throws RowcastError `bad_model`, `unsupported_model`
 */
export function readObjective(text: string | undefined, scores: number): ObjectiveMeaning {
  const [name = '', ...settings] = (text ?? 'custom').split(' ').filter(word => word !== '');
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const objective = settings.length > 0 ? `${known} ${settings.join(' ')}` : known;
  const fail = (what: string): never => {
    throw new RowcastError('bad_model', `objective=${sanitize(text ?? '')}: ${what}`);
  };
  /** The value of a setting that must be there; each that is known is taken out of the list. */
  const setting = (key: string): string => {
    const at = settings.findIndex(word => word.startsWith(`${key}:`));
    if (at === -1) return fail(`it has no ${key}`);
    return settings.splice(at, 1)[0]?.slice(key.length + 1) ?? '';
  };
  const factor = (): number => {
    const value = asLibrary(setting('sigmoid'));
    return value > 0 && Number.isFinite(value) ? value : fail('sigmoid is no number above 0');
  };
  const checkClasses = (): void => {
    if (setting('num_class') !== String(scores)) fail(`an iteration has ${scores} trees`);
    if (scores < 2) fail('it has a single class');
  };

  const outcome = ((): Omit<ObjectiveMeaning, 'objective'> => {
    if (known === 'custom') return { link: IDENTITY, predicts: { kind: 'numbers', count: scores } };
    if (known === 'multiclass') {
      checkClasses();
      return { link: { kind: 'softmax' }, predicts: { kind: 'classes', count: scores } };
    }
    if (known === 'multiclassova') {
      checkClasses();
      return { link: { kind: 'sigmoid', factor: factor() }, predicts: { kind: 'classes', count: scores } };
    }
    const found = Object.hasOwn(numbers, known) ? numbers[known] : undefined;
    if (known !== 'binary' && found === undefined)
      throw new RowcastError('unsupported_model', `the objective "${sanitize(name)}" is not known`, {
        hint: 'What it makes of scores is unknown, so no prediction can be made.',
      });
    if (scores !== 1) fail(`it has one score, but an iteration has ${scores} trees`);
    if (found === undefined)
      return { link: { kind: 'sigmoid', factor: factor() }, predicts: { kind: 'classes', count: 2 } };
    const root = settings.indexOf('sqrt');
    const link = root === -1 ? found.link : (found.sqrt ?? found.link);
    if (root !== -1 && found.sqrt !== undefined) settings.splice(root, 1);
    return { link, predicts: { kind: 'numbers', count: 1 } };
  })();
  if (settings.length > 0)
    throw new RowcastError(
      'unsupported_model',
      `the objective ${known} has a setting that is not known: ${sanitize(settings.join(' '))}`,
      { hint: 'It may change predictions. Train without it, or with a version up to LightGBM 4.' },
    );
  return { objective, ...outcome };
}

/**
 * A number as `Common::Atof` of LightGBM reads it, which may be one unit in the last place from the nearest double.
 * NaN if the text is not a number.
 */
function asLibrary(text: string): number {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(\d{1,15})(?:\.(\d{0,22}))?(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  if (whole === '') return Number.NaN;
  const value = Number(whole) + Number(`0${fraction}`) / Number(`1e${fraction.length}`);
  let scale = 1;
  for (let left = Math.abs(Number(exponent)); left > 0; left--) scale *= 10;
  return Number(exponent) < 0 ? value / scale : value * scale;
}
