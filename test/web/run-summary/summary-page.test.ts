import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { durationText, summaryPage } from '../../../src/web/run-summary/summary-page.ts';
import { shortText } from '../../../src/web/run-summary/timeline-section.ts';
import { columnWith, scoresOf, someTime, summaryWith } from './summaries.ts';

const headings = (page: string): string[] =>
  [...page.matchAll(/<h[23][^>]*>([^<]*)<\/h[23]>/g)].map(([, text = '']) => text);
const drifted = (columns: Record<string, number | null>) => ({
  compared_with: {
    summary: 'last.json',
    run_id: '1',
    started_at: '2026-01-30T02:00:00.000Z',
    input: 'a',
    rows: 9,
  },
  columns: Object.entries(columns).map(([name, psi]) => ({
    ...{
      name,
      psi,
      chance: psi === null ? null : 0.01,
      change: psi === null ? null : psi >= 0.25 ? ('significant' as const) : ('none' as const),
    },
  })),
  labels: null,
  scores: { yes: { kind: 'probability' as const, psi: 0.3, change: 'significant' as const, chance: 0.01 } },
});

describe('the page of a run', () => {
  it('has a section for everything that the summary knows, and for nothing else', () => {
    const full = summaryWith({
      columns: [columnWith('tenure')],
      scores: scoresOf(['no', 'yes']),
      runs: [summaryWith()],
    });
    assert.deepEqual(headings(summaryPage(full, someTime())), [
      ...['in.csv', 'Over time', 'Throughput', 'Batches', 'Rejected rows', 'Rejects by reason'].slice(1),
      ...['Columns', 'Classes', 'Probabilities', '1\u00a0file', 'Run'],
    ]);
    const rows = { read: 0, scored: 0, rejected: 0, rejected_by: {} };
    assert.deepEqual(headings(summaryPage(summaryWith({ rows, columns: null }), [])), ['Run']);
  });

  it('shows latency, requests in flight and retries of a service', () => {
    const page = summaryPage(
      summaryWith({
        service: 'https://x.example',
        retries: { http_503: 3 },
        latency_ms: { p50: 40, p95: 50, p99: 60 },
      }),
      someTime(),
    );
    assert.deepEqual(headings(page).slice(1, 5), [
      'Throughput',
      'Latency',
      'Concurrency',
      'Retries and rejects',
    ]);
    assert.match(page, /retries: 3 × http_503/);
    assert.match(page, /p95 50 ms/);
  });

  it('draws the probabilities of many classes larger', () => {
    const scores = {
      yes: {
        kind: 'probability' as const,
        mean: 0.03,
        deciles: [0.01, 0.01, 0.02, 0.02, 0.03, 0.03, 0.04, 0.05, 0.08],
        ranges: { edges: [], rows: [9] },
      },
    };
    const page = summaryPage(summaryWith({ classes: ['yes'], scores }), []);
    assert.match(page, /From 0% at the left to 10% at the right/);
    assert.match(page, /class="band" x="10%" y="20" width="70%"/);
  });

  it('draws predicted numbers and labels, with how much they have changed', () => {
    const deciles = [1200, 1400, 1500, 1700, 2000, 2500, 4000, 7000, 9000];
    const ranges = { edges: [], rows: [9] };
    const scores = { prediction: { kind: 'number' as const, mean: 2345.5, deciles, ranges } };
    const drift = {
      ...drifted({}),
      scores: {
        prediction: { kind: 'number' as const, psi: 0.31, change: 'significant' as const, chance: 0 },
      },
    };
    const numbers = { ...summaryWith({ scores, drift }), classes: [] };
    const page = summaryPage(numbers, []);
    assert.match(page, /From 0 at the left to 9,000 at the right/);
    assert.match(page, /mean 2,346 · PSI 0\.31/);
    assert.doesNotMatch(page, /Classes/);
    const labels = { names: ['yes', '<b>'], rows: [90, 9], others: 1 };
    const withLabels = summaryPage(summaryWith({ classes: [], labels }), []);
    assert.match(withLabels, /&lt;b&gt;[\s\S]*9\.0%[\s\S]*all others[\s\S]*1\.0%/);
  });

  it('escapes everything that comes from outside, and runs nothing', () => {
    const evil = '<script>alert(1)</script>"\'&\u202e\u0007';
    const page = summaryPage(
      summaryWith({
        input: evil,
        output: evil,
        rejects: evil,
        report: evil,
        service: evil,
        classes: [evil],
        columns: [columnWith(evil)],
        scores: scoresOf([evil]),
        options: { [evil]: evil },
        rows: { read: 9, scored: 1, rejected: 8, rejected_by: { [evil]: 8 } },
        retries: { [evil]: 1 },
        error: { code: evil, message: evil, hint: evil, retryable: true, file: evil, line: 1, row: 1 },
        warnings: [{ code: evil, message: evil }],
        runs: [summaryWith({ input: evil, output: evil })],
        drift: drifted({ [evil]: 0.3 }),
      }),
      someTime(),
    );
    assert.doesNotMatch(page, /<script|\u202e|javascript:|https?:\/\/(?!x\.example)/);
    assert.ok(!page.includes('\u0007'));
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(page.includes(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`));
    assert.doesNotMatch(page, / style="/);
  });

  it('begins with the columns that have changed most, then those with unknown values', () => {
    const columns = ['same', 'odd', 'changed', 'new'].map(name =>
      columnWith(name, name === 'odd' ? { unseen: 5 } : {}),
    );
    const page = summaryPage(
      summaryWith({ columns, drift: drifted({ same: 0.01, odd: 0.01, changed: 0.4, new: null }) }),
      [],
    );
    const names = [...page.matchAll(/class="column-name"><bdi>(\w+)/g)].map(([, name]) => name);
    assert.deepEqual(names.slice(0, 2), ['changed', 'odd']);
    assert.match(page, /0\.40 <span class="badge bad">significant<\/span>/);
    assert.match(page, /not compared/);
  });

  it('keeps very many columns, classes and files apart or out', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
    const page = summaryPage(
      summaryWith({
        columns: names.map(name => columnWith(name)),
        classes: names,
        scores: scoresOf(names),
        runs: new Array(6000).fill(summaryWith()),
      }),
      [],
    );
    assert.match(page, /975\u00a0more columns/);
    assert.match(page, /The 40 most probable of 1,000 classes/);
    assert.match(page, /the first 5,000/);
    assert.ok(page.length < 6e6, String(page.length));
  });

  it('says why a run has stopped', () => {
    const error = { code: 'bad_gzip', message: 'it is damaged', hint: 'Check it.', retryable: false };
    const page = summaryPage(
      summaryWith({ status: 'stopped', error: { ...error, file: 'in.csv', line: 7, row: null } }),
      [],
    );
    assert.match(page, /in\.csv:7: it is damaged<\/strong>[\s\S]*\[bad_gzip\][\s\S]*Check it\./);
  });
});

it('durations and rates are short', () => {
  assert.deepEqual([0.24, 12.4, 199, 7500].map(durationText), ['0.2 s', '12 s', '3 min 19 s', '2 h 5 min']);
  assert.deepEqual([0, 0.25, 12.34, 999.4, 3400, 999_600, 1_234_567].map(shortText), [
    '0',
    '0.25',
    '12.3',
    '999',
    '3.4k',
    '1M',
    '1.23M',
  ]);
});
