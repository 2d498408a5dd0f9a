import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rocCurve } from '../../../src/training/findings/roc.ts';
import { barChart } from '../../../src/web/charts/bar-chart.ts';
import { actualChart, calibrationChart } from '../../../src/web/charts/calibration-chart.ts';
import { confusionChart } from '../../../src/web/charts/confusion-chart.ts';
import { decileChart } from '../../../src/web/charts/decile-chart.ts';
import { categoryResponseChart, responseChart } from '../../../src/web/charts/response-chart.ts';
import { heightAt, rocChart } from '../../../src/web/charts/roc-chart.ts';
import { named } from '../../../src/web/html.ts';
import '../../support/random-tests.ts';

const hostile = '<script>alert("&\u202e")</script>';
const percent = (count: number) => Array.from({ length: count }, (_, i) => i / count);
const step = { from: 0, to: 0.1, rows: 3, predicted: 0.05, actual: 1 / 3, low: 0.06, high: 0.8 };
const matrix = (size: number) =>
  percent(size).map((_, i) => percent(size).map((_, j) => (i === j ? 50 : (i * j) % 3)));
const names = (size: number) => percent(size).map((_, i) => (i === 1 ? hostile : `class ${i}`));

const charts = {
  bars: barChart({
    ...{
      id: 'bars',
      title: 'Bars',
      description: 'Some bars.',
      most: 1,
      numbers: { head: ['a'], rows: [[named(hostile)]] },
    },
    bars: [
      { label: hostile, value: 2, text: '2', interval: { low: 0.5, high: 3 } },
      { label: 'x'.repeat(500), value: 0, text: '0', series: 'baseline' },
    ],
  }),
  roc: rocChart({
    id: 'roc',
    name: hostile,
    area: 0.5,
    others: [[{ falsePositives: 0, truePositives: 0 }]],
    points: [
      { falsePositives: 0, truePositives: 0 },
      { falsePositives: 1, truePositives: 1 },
    ],
  }),
  calibration: calibrationChart({ id: 'calibration', name: hostile, share: 0.2, bins: [step] }),
  'calibration without rows': calibrationChart({ id: 'none', name: 'a', share: 0, bins: [] }),
  'actual numbers': actualChart({
    ...{ id: 'actual', name: hostile, baseline: -3, bins: [{ ...step, from: -1e300, to: 1e300 }] },
    points: [
      [-2, 5],
      [4, -1e9],
    ],
  }),
  'actual numbers over a wide range': actualChart({
    ...{ id: 'wide', name: 'a', baseline: 3, points: [[1, 0]] },
    bins: [1, 100, 1e6].map(at => ({
      ...{ from: at / 2, to: 2 * at, rows: 3 },
      ...{ predicted: at, actual: at, low: at / 3, high: 3 * at },
    })),
  }),
  'actual numbers without rows': actualChart({ id: 'no', name: '', baseline: 0, bins: [], points: [] }),
  'quantiles of numbers': decileChart({
    ...{ id: 'quantiles', title: 'Quantiles', all: [], isNumbers: true, head: ['a', '10%', '50%', '90%'] },
    rows: [{ name: hostile, mean: 1, deciles: [-1, 0, 0] }],
  }),
  'a single number': decileChart({
    ...{ id: 'single', title: 'Single', all: [], isNumbers: true },
    rows: [{ name: 'a', mean: 0, deciles: new Array(9).fill(0) }],
  }),
  'two classes': confusionChart({ id: 'two', title: 'Two', classes: names(2), counts: matrix(2) }),
  'twenty classes': confusionChart({ id: 'many', title: 'Many', classes: names(20), counts: matrix(20) }),
  'a hundred classes': confusionChart({
    id: 'most',
    title: 'Most',
    classes: names(100),
    counts: matrix(100),
  }),
  'no rows': confusionChart({
    id: 'empty',
    title: 'Empty',
    classes: ['', 'a'],
    counts: [
      [0, 0],
      [0, 0],
    ],
  }),
  response: responseChart({
    ...{
      id: 'response',
      column: hostile,
      values: [1, 2, 3],
      ticks: [1, 2, 3],
      tickText: String,
      text: String,
    },
    series: names(5).map(name => ({ name, probabilities: [0.1, 0.2, 0.3] })),
    current: 2,
  }),
  'response at a single value': responseChart({
    id: 'response',
    column: 'a',
    values: [1],
    ticks: [1],
    tickText: String,
    text: String,
    series: [{ name: 'a', probabilities: [0] }],
    current: 7,
  }),
  'a response of negative numbers': categoryResponseChart({
    id: 'negative',
    column: 'a',
    values: ['a', 'b'],
    current: undefined,
    series: [{ name: hostile, probabilities: [-5, -5], isNumber: true }],
  }),
  categories: categoryResponseChart({
    id: 'categories',
    column: hostile,
    values: [hostile, 'b'],
    current: 1,
    series: [{ name: hostile, probabilities: [0, 1] }],
  }),
};

describe('a chart', () => {
  for (const [name, chart] of Object.entries(charts)) {
    const text = chart.toString();

    it(`of ${name} is well-formed, without scripts or broken numbers, and has a title and a table of them`, () => {
      const open: string[] = [];
      for (const [tag, slash, element = '', empty] of text.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
        if (slash) assert.equal(open.pop(), element, tag);
        else if (!empty) open.push(element);
      }
      assert.deepEqual(open, []);
      assert.doesNotMatch(text, /<script|style=|\u202e|NaN|Infinity|undefined|null/);
      const [, labels = ''] = /<svg[^>]*role="img" aria-labelledby="([^"]*)"/.exec(text) ?? [];
      const ids = labels.split(' ');
      assert.match(text, new RegExp(`<title id="${ids[0]}">[^<]+</title><desc id="${ids[1]}">[^<]+</desc>`));
      assert.match(text, /<details class="numbers"><summary>Numbers<\/summary>/);
      assert.match(text, /<th scope="col">/);
    });
  }

  it('of a hundred classes is of moderate size', () => {
    assert.ok(charts['a hundred classes'].toString().length < 2_500_000);
  });
});

describe('the height of a ROC curve', () => {
  it('rises from 0 to 1', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(scores, scores, (ofClass, others) => {
        const points = rocCurve(Float64Array.from(ofClass), Float64Array.from(others))?.points ?? [];
        let last = 0;
        for (const rate of [0, 0.1, 0.25, 0.5, 0.75, 0.99, 1]) {
          const height = heightAt(points, rate);
          assert.ok(height >= last - 1e-12 && height <= 1);
          last = height;
        }
        assert.equal(last, 1);
      }),
    );
  });
});
