import assert from 'node:assert/strict';
import fs, { open, readdir, readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { scoredRows } from './scored-rows.ts';

type Operation = 'ftruncate' | 'unlink' | 'rename' | 'link';

/** Makes the nth call of an operation fail, until it is restored. */
async function injectFailure(t: TestContext, operation: Operation, number: number, code: string) {
  let count = 0;
  let failed: string | undefined;
  const failing = <Args extends unknown[], Result>(real: (...args: Args) => Promise<Result>) =>
    async function (this: unknown, ...args: Args): Promise<Result> {
      if (++count !== number) return real.apply(this, args);
      failed = operation === 'ftruncate' ? operation : args.join(' → ');
      const path = operation === 'ftruncate' ? '' : ` '${args[0]}'`;
      throw Object.assign(new Error(`${code}: injected, ${operation}${path}`), { code });
    };
  const file = await open(import.meta.filename);
  const methods =
    operation === 'ftruncate'
      ? t.mock.method(Object.getPrototypeOf(file), 'truncate', failing(file.truncate))
      : t.mock.method(fs, operation, failing<string[], void>(fs[operation]));
  await file.close();
  syncBuiltinESMExports();
  return {
    failed: () => failed,
    restore: () => {
      methods.mock.restore();
      syncBuiltinESMExports();
    },
  };
}

/**
 * Runs with the first call failing, then with the second, and so on; each run is repeated without a failure. A
 * plain output is resumed after the failure, any other one starts over.
 *
 * @returns the files that were named
 */
async function failEach(
  t: TestContext,
  name: string,
  operation: Operation,
  code = 'EIO',
): Promise<Set<string>> {
  let calls = 0;
  let stop = new AbortController();
  const onCall = () => {
    if (++calls === 2) stop.abort('test');
  };
  const scored = await scoredRows(t, { rows: 60, batchRows: 20, hasRejects: true, words: 120, onCall });
  const { folder, client } = scored;
  const rejects = join(folder, 'bad.csv');
  const output = join(folder, name);
  const options = { ...scored.options, output, rejects };
  await score(job(options), client);
  const wanted = [await readFile(output), await readFile(rejects)];
  const named = new Set<string>();
  for (let number = 1; ; number++) {
    const isResumed = name === 'out.csv';
    if (isResumed) {
      stop = new AbortController();
      calls = 0;
      const begun = job({ ...options, restart: true });
      await assert.rejects(score(begun, client, { stop: stop.signal }), { name: 'Interrupted' });
    }
    const { failed, restore } = await injectFailure(t, operation, number, code);
    calls = 0;
    const failure = await score(job({ ...options, restart: !isResumed }), client).then(
      () => undefined,
      error => error,
    );
    restore();
    const what = failed();
    if (what === undefined) return named;
    const at = `${operation} ${number}: ${what}`;
    if (failure !== undefined) {
      named.add(basename(failure.location.file));
      assert.equal(failure.code, 'unwritable_output', `${at}: ${failure.stack}`);
      assert.match(failure.message, new RegExp(`: injected \\(${code}\\)$`), at);
      // With exit code 2 nothing was done.
      if (calls > 0) assert.equal(failure.severity, 'stopped', at);
    }
    // A lock that could not be removed belongs to a process that has ended.
    for (const left of await readdir(folder))
      if (/\.lock(\.|$)/.test(left)) await fs.unlink(join(folder, left));
    await score(job(options), client);
    assert.deepEqual([await readFile(output), await readFile(rejects)], wanted, at);
    assert.deepEqual((await readdir(folder)).sort(), ['bad.csv', 'in.csv', name], at);
  }
}

describe('a run in which a file operation fails', () => {
  for (const name of ['out.csv', 'out.csv.gz'])
    for (const operation of ['ftruncate', 'unlink', 'rename', 'link'] as const)
      it(`stops, names the file and the cause, and gives the same bytes when rerun: ${operation}, ${name}`, async t => {
        const named = await failEach(t, name, operation);
        assert.ok(named.has(name), [...named].join());
        if (operation === 'ftruncate' && name === 'out.csv') assert.ok(named.has('bad.csv.partial'));
      });

  it('continues if only hard links fail', async t => {
    assert.equal((await failEach(t, 'out.csv', 'link', 'EPERM')).size, 0);
  });
});
