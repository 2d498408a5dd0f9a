import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readEarlierSummary } from '../../../src/runs/summary/earlier-summary.ts';
import { newFolder } from '../../support/folder.ts';

const summary = {
  format: 1,
  run_id: '1',
  started_at: '2026-01-30T02:00:00.000Z',
  input: 'in.csv',
  report: 'r',
  rows: { read: 10 },
  columns: null,
  scores: { yes: { mean: 0.5, deciles: [], ranges: { edges: [0.5], rows: [5, 5] } } },
};

async function fileWith(t: TestContext, text: string | Buffer): Promise<string> {
  const file = join(await newFolder(t), 's.json');
  await writeFile(file, text);
  return file;
}

describe('the summary of an earlier run', () => {
  it('may be compressed, and have members of later versions', async t => {
    const file = await fileWith(t, gzipSync(JSON.stringify({ ...summary, later: 1 })));
    const { run_id, scores, file: name } = await readEarlierSummary(file, 'r');
    assert.deepEqual([run_id, scores?.yes?.ranges.rows, name], ['1', [5, 5], file]);
  });

  const refused: Record<string, [text: string, message: RegExp]> = {
    'is not JSON': ['a,b\n1,2\n', /^this is not the summary of a run$/],
    'is something else': ['{"format": 1}', /^this is not the summary of a run$/],
    'has counts that do not belong to its ranges': [
      JSON.stringify({ ...summary, scores: { yes: { ranges: { edges: [0.5], rows: [5] } } } }),
      /^this is not the summary of a run$/,
    ],
    'has a later format': [
      JSON.stringify({ format: 2, run_id: '1' }),
      /^the summary has format 2, of which this version reads only 1$/,
    ],
    'is of another report': [
      JSON.stringify({ ...summary, report: 'other' }),
      /^the summary is of a run with the report "other", not "r"$/,
    ],
    'has no counts': [
      JSON.stringify({ ...summary, scores: null }),
      /^the summary has no counts to compare with$/,
    ],
  };
  for (const [what, [text, message]] of Object.entries(refused))
    it(`is refused if it ${what}`, async t => {
      const file = await fileWith(t, text);
      await assert.rejects(readEarlierSummary(file, 'r'), {
        code: 'bad_summary',
        exitCode: 2,
        message,
        location: { file },
      });
    });

  it('is refused if it does not exist, or is stdin', async () => {
    await assert.rejects(readEarlierSummary('/nowhere/s.json', 'r'), { code: 'no_such_file', exitCode: 2 });
    await assert.rejects(readEarlierSummary('-', 'r'), { code: 'bad_summary' });
  });
});
