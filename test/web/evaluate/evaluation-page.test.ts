import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluationOf } from '../../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../../src/evaluate/statistics/class-tally.ts';
import { evaluationPage } from '../../../src/web/evaluate/evaluation-page.ts';
import { churned, evaluationOfSet, revenue } from '../../evaluate/evaluations.ts';
import { facts } from '../../evaluate/facts.ts';

const headings = (page: string): string[] =>
  [...page.matchAll(/<h[23][^>]*>(.*?)<\/h[23]>/g)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''));

describe('the page of an evaluation', () => {
  it('of two classes has the figures, curves, gains and segments', () => {
    assert.deepEqual(headings(evaluationPage(churned())), [
      'Figures',
      ...['Curves of yes', 'Confusion matrix', 'ROC curve of yes', 'Calibration of yes'],
      ...['Gains', 'Cumulative gains of yes', 'By plan', 'AUC by plan'],
      ...['Coverage', 'Rows with a label by tenths of the predictions', 'Facts'],
    ]);
  });

  it('of numbers has their errors', () => {
    assert.deepEqual(headings(evaluationPage(revenue())), [
      ...['Figures', 'Errors by prediction', 'Mean absolute error by tenths of the predictions'],
      ...['By region', 'RMSE by region', 'Coverage', 'Facts'],
    ]);
  });

  it('of several classes has charts of each against all others', () => {
    const page = evaluationPage(evaluationOfSet('three classes'));
    for (const name of ['0', '1', '2']) assert.ok(headings(page).includes(`ROC curve of ${name}`));
    assert.equal(new Set(page.match(/ id="[^"]*"/g)).size, page.match(/ id="[^"]*"/g)?.length);
  });

  it('shows the figures of the report and of an earlier evaluation beside its own', () => {
    const earlier = { name: 'september.json', evaluation: churned() };
    const page = evaluationPage(churned({ shift: 0.05 }, { testing: { auc: 0.8312 }, earlier }));
    assert.match(page, /<th scope="row">AUC<\/th>.*<td class="num">0\.831<\/td>/);
    assert.match(page, /september\.json/);
    assert.match(page, /not a fair part/);
  });

  it('says why there is no curve', () => {
    assert.match(
      evaluationPage(evaluationOfSet('one class')),
      /There is no ROC curve of .*: no row has the class/,
    );
    assert.match(evaluationPage(evaluationOf(new ClassTally(['a', 'b']), facts)), /nothing can be said yet/);
  });

  it('shows no markup of names from files, and loads nothing', () => {
    const page = evaluationPage(churned({ plans: ['<b>bold</b>'] }, { predicts: '<script>x</script>' }));
    assert.ok(!page.includes('<script') && !page.includes('<b>'));
    assert.match(page, /default-src &#39;none&#39;/);
  });
});
