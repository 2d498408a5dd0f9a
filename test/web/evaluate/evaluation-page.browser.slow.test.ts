import type { Evaluation } from '../../../src/evaluate/evaluation.ts';
import { evaluationOf } from '../../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../../src/evaluate/statistics/class-tally.ts';
import { evaluationPage } from '../../../src/web/evaluate/evaluation-page.ts';
import { churned, evaluationOfSet, revenue } from '../../evaluate/evaluations.ts';
import { facts } from '../../evaluate/facts.ts';
import { checkPages } from '../../support/web/check-pages.ts';

const long = 'a-very-long-name-without-any-space-in-it'.repeat(4);
const pages: Record<string, Evaluation> = {
  'two classes, with an earlier evaluation and the report': churned(
    { plans: ['basic', long, ''] },
    { testing: { auc: 0.83, accuracy: 0.8 }, earlier: { name: long, evaluation: churned() }, scored: [long] },
  ),
  '20 classes': evaluationOfSet('20 classes'),
  'one class only': evaluationOfSet('one class'),
  'one row': evaluationOfSet('one row'),
  numbers: revenue(),
  'no labels': evaluationOf(new ClassTally(['no', 'yes']), facts),
};

checkPages(
  'the page of an evaluation',
  Object.fromEntries(Object.entries(pages).map(([of, evaluation]) => [of, () => evaluationPage(evaluation)])),
);
