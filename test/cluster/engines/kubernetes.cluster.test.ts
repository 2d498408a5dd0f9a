import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { newFolder, sharedFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { missingPrograms } from '../support/programs.ts';

const manifests = ['job.yaml', 'assemble.yaml'].map(name => join(root, 'examples/cluster/kubernetes', name));

describe('the manifests for Kubernetes', { timeout: 1_800_000 }, () => {
  const install = 'pip install kubernetes-validate==1.37.0 in a venv whose bin is in PATH';
  it('have the members that the schemas of several versions know', {
    skip: missingPrograms(['kubernetes-validate'], install),
  }, () => {
    for (const version of ['1.31.0', '1.34.0', '1.37.0'])
      for (const manifest of manifests)
        execFileSync('kubernetes-validate', ['--strict', '-k', version, manifest], { stdio: 'pipe' });
  });

  /** What the API server refuses, although a schema does not. */
  const wrong: readonly [RegExp, string, RegExp][] = [
    [/completionMode: Indexed/, 'completionMode: Indexd', /Unsupported value: "Indexd"/],
    [/values: \[2, /, 'values: [0, 2, ', /must not be 0 for the In operator/],
    [/values: \[2, 3/, 'values: [3, 2', /must be ordered/],
    [/restartPolicy: Never/, 'restartPolicy: OnFailure', /only "Never" is supported/],
    [/containerName: rowcast/, 'containerName: other', /must be one of the container/],
    [/maxFailedIndexes: 40/, 'maxFailedIndexes: 41', /must be less than or equal to completions/],
  ];

  describe('go through the code of the API server', {
    skip: missingPrograms(['go'], 'https://go.dev/dl; building takes a few minutes for the first time'),
  }, () => {
    let program: string;
    before(async () => {
      program = join(await sharedFolder(), 'validate-job');
      execFileSync('go', ['build', '-o', program, '.'], {
        cwd: join(root, 'test/cluster/engines/validate-job'),
        stdio: 'pipe',
      });
    });

    it('is satisfied with them', () => {
      execFileSync(program, manifests, { stdio: 'pipe' });
    });

    for (const [what, by, says] of wrong)
      it(`refuses ${by}`, async t => {
        const [job = ''] = manifests;
        const changed = join(await newFolder(t), 'job.yaml');
        await writeFile(changed, readFileSync(job, 'utf8').replace(what, by));
        const { status, stdout } = spawnSync(program, [changed], { encoding: 'utf8' });
        assert.equal(status, 1);
        assert.match(stdout, says);
      });
  });
});
