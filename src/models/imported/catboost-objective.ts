import { sanitize } from '../../base/sanitize.ts';
import type { Link } from '../model/predictor-spec.ts';
import type { ImportedModel } from './imported-model.ts';
import type { Member } from './members.ts';
import { unsupported } from './unsupported.ts';

const IDENTITY: Link = { kind: 'identity' };
const SIGMOID: Link = { kind: 'sigmoid', factor: 1 };

/** Losses whose prediction is one number, the score itself. */
const NUMBERS = new Set([
  'RMSE',
  'MAE',
  'Quantile',
  'MAPE',
  'Huber',
  'Expectile',
  'Lq',
  'LogCosh',
  'YetiRank',
  'YetiRankPairwise',
  'PairLogit',
  'PairLogitPairwise',
  'QueryRMSE',
  'QuerySoftMax',
  'StochasticRank',
]);

/** What the loss of a model makes of its scores: what `predict_proba`, or for numbers `predict`, returns. */
export function catboostObjective(
  info: Member,
  scores: number,
): Pick<ImportedModel, 'link' | 'predicts'> & { name: string; notes: string[] } {
  const loss = info.find('params')?.find('loss_function')?.find('type')?.text();
  if (loss === undefined)
    throw unsupported(
      'the file does not say with which loss the model was trained',
      'Save it as JSON with the version of CatBoost that trained it.',
    );
  const classes = (link: Link, count: number): ReturnType<typeof catboostObjective> => {
    const names = classNames(info);
    if (names !== undefined && names.length !== count)
      throw info.wrong(`has ${names.length} names of classes, but the model predicts ${count}`);
    return {
      name: loss,
      link,
      predicts: { kind: 'classes', count, ...(names === undefined ? {} : { names }) },
      notes: [],
    };
  };
  const expectOne = (): void => {
    if (scores !== 1) throw info.wrong(`has the loss "${loss}", but the model has ${scores} scores`);
  };
  switch (loss) {
    case 'Logloss':
    case 'CrossEntropy':
      expectOne();
      return classes(SIGMOID, 2);
    case 'MultiClass':
      if (scores < 2) throw info.wrong(`has the loss "${loss}", but the model has one score`);
      return classes({ kind: 'softmax', exp: 'fast' }, scores);
    case 'MultiClassOneVsAll':
      if (scores < 2) throw info.wrong(`has the loss "${loss}", but the model has one score`);
      return classes(SIGMOID, scores);
    case 'Poisson':
    case 'Tweedie':
      expectOne();
      return {
        name: loss,
        link: { kind: 'exp', exp: 'fast' },
        predicts: { kind: 'numbers', count: 1 },
        notes: [],
      };
    case 'MultiRMSE':
    case 'MultiQuantile':
      return { name: loss, link: IDENTITY, predicts: { kind: 'numbers', count: scores }, notes: [] };
  }
  if (!NUMBERS.has(loss))
    throw unsupported(
      `the loss "${sanitize(loss)}" is not known`,
      'Train with a loss such as Logloss, MultiClass or RMSE.',
    );
  expectOne();
  return { name: loss, link: IDENTITY, predicts: { kind: 'numbers', count: 1 }, notes: [] };
}

function classNames(info: Member): string[] | undefined {
  const names = info.find('class_params')?.find('class_names')?.list();
  if (names === undefined || names.length === 0) return undefined;
  return names.map(name => {
    if (!['string', 'number', 'boolean'].includes(typeof name.value))
      throw name.wrong('should be text or a number');
    // As Python writes it.
    if (typeof name.value === 'boolean') return name.value ? 'True' : 'False';
    return String(name.value);
  });
}
