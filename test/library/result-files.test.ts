import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { runOptions } from '../../src/base/options/score.ts';
import { resolveValues } from '../../src/base/options/values/resolve-options.ts';
import { resultFiles } from '../../src/library/result-files.ts';
import { namesOf } from '../../src/library/runs-of.ts';
import { RunTracker } from '../../src/runs/run-tracker.ts';
import { backends } from '../../src/storage/backends.ts';
import { newFolder } from '../support/folder.ts';

describe('the files that a run writes besides its rows', () => {
  it('are not left locked if one of them cannot be opened', async t => {
    const folder = await newFolder(t);
    const given = { report: 'r', metrics: `${folder}/m.prom`, lineage: `${folder}/m.prom` };
    const values = resolveValues(runOptions, given);
    const paths = { input: '-', output: '-' };
    const job = { values, backends, inputs: [], isMany: false, names: namesOf(values, []), paths };
    const tracker = new RunTracker({ names: job.names, observers: resultFiles(job) });
    const refusal = await tracker.begin({ summary: undefined }, false).catch(error => error);
    assert.equal(refusal.code, 'output_is_input');
    assert.equal((await tracker.fail(refusal)).status, 'refused');
    await tracker.close();
    assert.deepEqual(await readdir(folder), ['m.prom']);
  });
});
