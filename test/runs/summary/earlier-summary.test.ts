import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { EarlierFigures } from '../../../src/runs/drift/compare.ts';
import { figuresIn, figuresOfLast } from '../../../src/runs/summary/earlier-summary.ts';
import { newFolder } from '../../support/folder.ts';

const summary = {
  format: 1,
  run_id: '1',
  started_at: '2026-01-30T02:00:00.000Z',
  input: 'in.csv',
  report: 'r',
  rows: { read: 10 },
  columns: null,
  labels: null,
  scores: {
    yes: { kind: 'probability' as const, mean: 0.5, deciles: [], ranges: { edges: [0.5], rows: [5, 5] } },
  },
};
const last = {
  ...summary,
  exit_code: 0,
  finished_at: '2026-01-30T02:01:00.000Z',
  output: 'out.csv',
  rows: { read: 10, scored: 10, rejected: 0 },
  digests: [],
};

async function fileWith(t: TestContext, text: string | Buffer): Promise<string> {
  const file = join(await newFolder(t), 's.json');
  await writeFile(file, text);
  return file;
}

describe('the summary of an earlier run', () => {
  it('may be compressed, and have members of later versions', async t => {
    const file = await fileWith(t, gzipSync(JSON.stringify({ ...summary, later: 1 })));
    const { run_id, scores, file: name } = (await figuresIn(file, 'r')) as EarlierFigures;
    assert.deepEqual([run_id, scores?.yes?.ranges.rows, name], ['1', [5, 5], file]);
  });

  it('of a run that counted nothing stands for the last good one that it knows', async t => {
    const refused = { ...summary, run_id: '2', status: 'refused', scores: null, last };
    const file = await fileWith(t, JSON.stringify(refused));
    const { run_id, scores } = (await figuresIn(file, 'r')) as EarlierFigures;
    assert.deepEqual([run_id, scores?.yes?.ranges.rows], ['1', [5, 5]]);
  });

  const useless: Record<string, [text: string, reason: RegExp]> = {
    'is not JSON': ['a,b\n1,2\n', /s\.json is not the summary of a run$/],
    'is something else': ['{"format": 1}', /s\.json is not the summary of a run$/],
    'has counts that do not belong to its ranges': [
      JSON.stringify({ ...summary, scores: { yes: { ranges: { edges: [0.5], rows: [5] } } } }),
      /s\.json is not the summary of a run$/,
    ],
    'has a later format': [
      JSON.stringify({ format: 2, run_id: '1' }),
      /s\.json has format 2, of which this version reads only 1$/,
    ],
    'is of another report': [
      JSON.stringify({ ...summary, report: 'other' }),
      /s\.json has the report "other", not "r"$/,
    ],
    'has no counts': [JSON.stringify({ ...summary, scores: null }), /s\.json has no counts$/],
  };
  for (const [what, [text, reason]] of Object.entries(useless))
    it(`is nothing to compare with, by its name, if it ${what}`, async t => {
      assert.match(String(await figuresIn(await fileWith(t, text), 'r')), reason);
    });

  it('is nothing to compare with if it does not exist', async () => {
    assert.equal(await figuresIn('/nowhere/s.json', 'r'), '/nowhere/s.json: no such file');
  });

  it('is not read from stdin', async () => {
    await assert.rejects(figuresIn('-', 'r'), { code: 'bad_option', exitCode: 2 });
  });
});

describe('the last good run', () => {
  it('is compared with if it had the same report', () => {
    assert.equal((figuresOfLast(last, 'r') as EarlierFigures).file, 'the last good run');
    assert.match(String(figuresOfLast(last, 's')), /^the last good run has the report "r", not "s"$/);
    assert.match(String(figuresOfLast(undefined, 'r')), /^no good run of this output is known yet$/);
  });
});
