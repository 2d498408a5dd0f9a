import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { diskFiles, type Files, type WritableFile } from '../../../src/storage/durable-files.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { scoredRows } from './scored-rows.ts';
import { lose, syncError, UnsyncedWrites } from './unsynced-writes.ts';

/** The real files with one failing sync: what was written since the previous one is lost, and the next one succeeds. */
function failingFiles(number: number): {
  files: Files;
  failed: () => string | undefined;
  syncs: () => number;
} {
  let syncs = 0;
  let failed: string | undefined;
  const mayFail = (name: string): void => {
    if (++syncs !== number) return;
    failed = name;
    throw syncError();
  };
  const syncOf = async (path: string, file: WritableFile, unsynced: UnsyncedWrites): Promise<void> => {
    const writes = unsynced.take();
    try {
      mayFail(basename(path));
    } catch (error) {
      await lose(path, writes);
      throw error;
    }
    await file.sync();
  };
  let syncing: Promise<void> = Promise.resolve();
  const failing = (path: string, file: WritableFile): WritableFile => {
    const unsynced = new UnsyncedWrites();
    return {
      size: () => file.size(),
      truncate: size => file.truncate(size),
      async append(bytes) {
        unsynced.add(await file.size(), bytes.length);
        await file.append(bytes);
        // The write is still in progress when a sync that started before it ends or fails.
        await syncing.catch(() => {});
        await turns(5);
      },
      sync() {
        syncing = syncOf(path, file, unsynced);
        return syncing;
      },
      close: () => file.close(),
    };
  };
  const files: Files = {
    ...diskFiles,
    open: async (path, mode) => failing(path, await diskFiles.open(path, mode)),
    async syncFolder(path) {
      mayFail('folder');
      await diskFiles.syncFolder(path);
    },
  };
  return { files, failed: () => failed, syncs: () => syncs };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await setImmediate();
};

/** Runs with the first sync failing, then with the second, and so on; each run is resumed without a failure. */
async function failEach(t: TestContext, name: string, rows: number, batchRows: number): Promise<void> {
  const parts = { rows, batchRows, hasRejects: true, words: 120 };
  const { folder, client, options } = await scoredRows(t, parts);
  const whole = join(folder, `whole.${name}`);
  await score(job({ ...options, output: whole }), client);
  const wanted = [await readFile(whole), await readFile(`${whole}.rejects`)];
  const output = join(folder, name);
  const places = new Set<string>();
  for (let number = 1; ; number++) {
    const { files, failed } = failingFiles(number);
    let checkpoint: Buffer | undefined;
    let hasLateCheckpoint = false;
    const recorded: Files = {
      ...files,
      async rename(from, to) {
        hasLateCheckpoint ||= failed() !== undefined && to.endsWith('.checkpoint');
        await files.rename(from, to);
        if (to.endsWith('.checkpoint')) checkpoint = await readFile(to);
      },
    };
    const failure = await score(
      job({ ...options, output, restart: true }),
      client,
      {},
      { files: recorded },
    ).then(
      () => undefined,
      error => error,
    );
    const place = failed();
    if (place === undefined) break;
    places.add(place);
    const at = `sync ${number}, of ${place}`;
    assert.ok(!hasLateCheckpoint, `a checkpoint after ${at} had failed`);
    assert.equal(failure?.code, 'unwritable_output', at);
    assert.equal(failure.severity, 'stopped', at);
    const left = await readdir(folder);
    if (left.includes(`${name}.checkpoint`))
      assert.deepEqual(await readFile(`${output}.checkpoint`), checkpoint, at);
    await score(job({ ...options, output }), client);
    assert.deepEqual([await readFile(output), await readFile(`${output}.rejects`)], wanted, at);
  }
  assert.deepEqual(
    [...places].sort(),
    ['folder', name, `${name}.rejects`].map(fileOf).concat(`${name}.checkpoint.new`).sort(),
  );
}

const fileOf = (name: string): string => (name === 'folder' ? name : `${name}.partial`);

describe('a sync that fails once and loses the data', () => {
  it('stops the run with the previous checkpoint, whichever sync fails', async t =>
    failEach(t, 'out.csv', 60, 10));

  it('does so with gzip', async t => failEach(t, 'out.csv.gz', 3000, 600));
});

describe('an output whose tail was modified after its checkpoint', () => {
  for (const file of ['out.csv.partial', 'out.csv.rejects.partial'])
    it(`is refused: zeros in ${file}`, async t => {
      const stop = new AbortController();
      let calls = 0;
      const onCall = () => {
        if (++calls === 4) stop.abort('test');
      };
      const scored = await scoredRows(t, { rows: 60, batchRows: 10, hasRejects: true, onCall });
      const { folder, client } = scored;
      const options = { ...scored.options, output: join(folder, 'out.csv') };
      await assert.rejects(score(job(options), client, { stop: stop.signal }), { name: 'Interrupted' });
      const bytes = await readFile(join(folder, file));
      await writeFile(join(folder, file), Buffer.concat([bytes.subarray(0, -20), Buffer.alloc(20)]));
      await assert.rejects(score(job(options), client), {
        code: 'partial_damaged',
        severity: 'refused',
        location: { file: join(folder, file) },
        hint: /--restart/,
      });
    });
});
