import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../src/library/scorers/client.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { key } from '../support/secrets.ts';
import { type Stub, startStub } from '../support/stub/service.ts';

/** A service that takes 40 ms and does not echo X-Request-Id. */
async function slowService(t: TestContext): Promise<Stub> {
  const stub = await startStub(t, { behave: () => sleep(40, false) });
  return stub;
}

/** The warnings that Node emits while a function runs. */
async function warningsOf(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.message);
  process.on('warning', note);
  try {
    await work();
    await sleep(0); // Node emits them in the next turn
  } finally {
    process.off('warning', note);
  }
  return warnings;
}

const rows = Array.from({ length: 300 }, (_, row) => `${row},row ${row}\n`);
const input = `id,text\n${rows.join('')}`;
const flags = ['--report', 'r', '--batch-rows', '5', '--concurrency', '32', '--log-format', 'json', '-q'];

describe('no warning of Node appears', () => {
  it('after a run that has used many connections', async t => {
    const [folder, stub] = [await newFolder(t), await slowService(t)];
    await writeFile(join(folder, 'in.csv'), input);
    const { env } = stub;
    const warnings = await warningsOf(async () => {
      const { code, stderr } = await rowcast(['score', 'in.csv', '-o', 'out.csv', ...flags], {
        cwd: folder,
        env,
      });
      assert.deepEqual([code, stderr], [0, '']);
    });
    assert.deepEqual(warnings, []);
  });

  it('if many files are scored at the same time', async t => {
    const [folder, stub] = [await newFolder(t), await slowService(t)];
    const files = Array.from({ length: 12 }, (_, index) => `in-${index}.csv`);
    for (const file of files) await writeFile(join(folder, file), `id,text\n${rows.slice(0, 60).join('')}`);
    const { env } = stub;
    const args = ['score', ...files, '-o', 'out/{name}.csv', '--jobs', '12', ...flags];
    const warnings = await warningsOf(async () => {
      const { code, stderr } = await rowcast(args, { cwd: folder, env });
      assert.deepEqual([code, stderr], [0, '']);
    });
    assert.deepEqual(warnings, []);
  });

  it('if a program passes one signal to many calls', async t => {
    const stub = await slowService(t);
    const client = new Client({ url: stub.url, key });
    t.after(() => client.close());
    const { signal } = new AbortController();
    const call = () => client.batchPersona('r', [{ id: 1 }], { signal });
    const warnings = await warningsOf(() => Promise.all(Array.from({ length: 12 }, call)));
    assert.deepEqual(warnings, []);
  });
});
