import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { openReports } from '../../src/library/run/open-reports.ts';
import type { RunJob } from '../../src/library/run/run-job.ts';
import { RunRecord } from '../../src/library/run/run-record.ts';
import { newFolder } from '../support/folder.ts';

describe('the files that a run writes besides its summary', () => {
  it('are not left locked if one of them cannot be opened', async t => {
    const folder = await newFolder(t);
    const names = {
      ...{ version: '1.0.0', input: 'stdin', output: 'stdout', rejects: null, hasNamedRejects: false },
      ...{ report: 'r', options: {} },
    };
    const job = {
      values: { output: '-', metrics: `${folder}/m.prom`, summaryHtml: `${folder}/s.html` },
      ...{ inputs: [], names, places: { input: '-', output: '-' } },
    } as unknown as RunJob; // all that it reads
    const record = new RunRecord(names, undefined);
    Object.freeze(record);
    await assert.rejects(openReports(job, record), TypeError);
    assert.deepEqual(await readdir(folder), []);
  });
});
