import { sanitize } from '../../base/sanitize.ts';
import type { Link } from '../model/predictor-spec.ts';
import type { ImportedModel } from './imported-model.ts';
import type { Member } from './members.ts';
import { unsupported } from './unsupported.ts';

const IDENTITY: Link = { kind: 'identity' };
const SIGMOID: Link = { kind: 'sigmoid', factor: 1 };
const EXP: Link = { kind: 'exp' };

type Margin = 'identity' | 'logit' | 'log';

interface Objective {
  link: Link;
  /** From the base in the file, which is a prediction, to a score: `ProbToMargin` of the library. */
  margin: Margin;
  predicts: 'two classes' | 'classes' | 'numbers';
}

const number: Objective = { link: IDENTITY, margin: 'identity', predicts: 'numbers' };
const positive: Objective = { link: EXP, margin: 'log', predicts: 'numbers' };
const several: Objective = { link: { kind: 'softmax' }, margin: 'identity', predicts: 'classes' };

const objectives = new Map<string, Objective>([
  ['binary:logistic', { link: SIGMOID, margin: 'logit', predicts: 'two classes' }],
  ['binary:hinge', { link: { kind: 'step' }, margin: 'identity', predicts: 'two classes' }],
  ['binary:logitraw', number],
  ['reg:logistic', { link: SIGMOID, margin: 'logit', predicts: 'numbers' }],
  ['multi:softprob', several],
  ['multi:softmax', several],
  ['reg:squarederror', number],
  ['reg:linear', number],
  ['reg:squaredlogerror', number],
  ['reg:pseudohubererror', number],
  ['reg:absoluteerror', number],
  ['reg:quantileerror', number],
  ['reg:expectileerror', number],
  ['rank:pairwise', number],
  ['rank:ndcg', number],
  ['rank:map', number],
  ['count:poisson', positive],
  ['reg:gamma', positive],
  ['reg:tweedie', positive],
  ['survival:cox', positive],
  ['survival:aft', positive],
]);

/** What an objective makes of scores, and of the base in the file. */
export function xgboostObjective(
  member: Member,
  model: { classCount: number; targets: number; release: readonly [number, number] },
): Pick<ImportedModel, 'link' | 'predicts'> & { name: string; margin: Margin; notes: string[] } {
  const name = member.member('name').text();
  const objective = objectives.get(name);
  if (objective === undefined)
    throw unsupported(
      `the objective "${sanitize(name)}" is not known`,
      'It may be a function in Python. Train with an objective of XGBoost itself.',
    );
  const { link, margin } = objective;
  const { classCount, targets, release } = model;
  const isSorted = release[0] > 3 || (release[0] === 3 && release[1] >= 4);
  if (name === 'reg:expectileerror' || (name === 'reg:quantileerror' && isSorted))
    if (targets > 1)
      throw unsupported(
        `"${name}" of several alphas is not read: XGBoost makes its predictions ascend within each row`,
        'Train a model for each alpha.',
      );
  const notes: string[] = [];
  if (objective.predicts === 'classes') {
    if (classCount < 2 || targets > 1)
      throw member.wrong(`is "${name}", but the model has ${classCount} classes`);
    if (name === 'multi:softmax')
      notes.push(
        'Probabilities are those of predict_proba; Booster.predict gives the class with the highest score.',
      );
    return { name, link, margin, predicts: { kind: 'classes', count: classCount }, notes };
  }
  if (classCount > 1) throw member.wrong(`is "${name}", but the model has ${classCount} classes`);
  if (objective.predicts === 'numbers')
    return { name, link, margin, predicts: { kind: 'numbers', count: targets }, notes };
  if (targets > 1)
    throw unsupported(
      `"${name}" with ${targets} labels for each row is not read`,
      'Train a model for each of the labels.',
    );
  return { name, link, margin, predicts: { kind: 'classes', count: 2 }, notes };
}
