import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../../support/folder.ts';
import { pythonVenv } from '../../../support/python-venv.ts';
import { root } from '../../../support/root.ts';
import { rowcast } from '../../../support/rowcast.ts';
import { startStub } from '../../../support/stub/service.ts';

describe('lineage events', () => {
  it('are read by the typed classes of openlineage-python', async t => {
    const commands = await pythonVenv(t, 'openlineage-python==1.54.0');
    if (commands === undefined) return;
    const stub = await startStub(t);
    const cwd = await newFolder(t);
    const env = {
      ...stub.env,
      OPENLINEAGE_PARENT_ID: 'airflow/dag.task/0192f3a4-0000-7000-8000-000000000001',
    };
    const runs = [
      ['a,b\n1,2\n3\n', 1, ['START', 'COMPLETE']],
      ['a,b\n1,2\n1,"2\n', 3, ['START', 'FAIL']],
    ] as const;
    for (const [csv, exitCode, types] of runs) {
      await writeFile(join(cwd, 'in.csv'), csv);
      const args = ['score', 'in.csv', '-o', 'out.csv', '--report', 'r', '--lineage', 'events.jsonl'];
      const { code, stderr } = await rowcast([...args, '--restart'], { cwd, env });
      assert.equal(code, exitCode, stderr);
      const script = join(root, 'test/runs/observers/lineage/parse-events.py');
      const events = await readFile(join(cwd, 'events.jsonl'));
      const parsed: SpawnSyncReturns<string> = spawnSync(join(commands, 'python'), [script], {
        input: events,
        encoding: 'utf8',
      });
      assert.equal(parsed.status, 0, parsed.stderr);
      const lines = parsed.stdout.trimEnd().split('\n');
      assert.deepEqual(
        lines.map(line => line.split(' ')[0]),
        types,
      );
      assert.match(lines[1] ?? '', /(errorMessage )?parent processing_engine$/);
    }
  });
});
