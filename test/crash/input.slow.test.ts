import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { startStub } from '../support/stub/service.ts';
import { rowsOf } from './variants.ts';

async function bench(t: TestContext, bytes: Buffer) {
  const folder = await newFolder(t, { 'in.csv': bytes });
  const input = join(folder, 'in.csv');
  let due: { call: number; act: () => Promise<void> } | undefined;
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    async behave({ number }) {
      if (number !== due?.call) return false;
      const { act } = due;
      due = undefined;
      await act();
      return false;
    },
  });
  return {
    folder,
    input,
    /** Scores in.csv, or the given stdin, to out.csv. */
    run: (stdin?: Buffer) =>
      rowcast(
        [
          ...['score', stdin === undefined ? 'in.csv' : '-', '--report', 'r', '-o', 'out.csv'],
          ...['--url', stub.url, '--features', 'id', '--batch-rows', '100', '--concurrency', '1'],
        ],
        { cwd: folder, env: { ROWCAST_API_KEY: stub.key }, ...(stdin && { stdin }) },
      ),
    output: () => readFile(join(folder, 'out.csv'), 'utf8'),
    /** Acts once, when the request with this number has arrived. */
    at(call: number, act: () => Promise<void>): void {
      due = { call, act };
    },
  };
}

/** Large compared with what is read ahead: chunks of 256 KiB, and the buffers of the streams. */
const ROWS = 20_000;
const large = rowsOf({}, ROWS);

describe('an input', { concurrency: 2 }, () => {
  it('that is truncated while it is read stops the run, which resumes once it is complete', async t => {
    const { input, run, output, at, folder } = await bench(t, large);
    const cut = 9_000_037; // within a record
    at(1, () => truncate(input, cut));
    await exits(run(), 3, /in\.csv: the input changed while it was being read \(.*\) \[input_changed\]/);
    const { position } = JSON.parse(await readFile(join(folder, 'out.csv.checkpoint'), 'utf8'));
    assert.equal(large[position.offset - 1], 0x0a, 'the checkpoint is within a record');
    await writeFile(input, large);
    await exits(run(), 0, /resuming at row/);
    assert.equal((await output()).split('\n').length, ROWS + 2);
  });

  it('that grows while it is read stops the run', async t => {
    const { input, run, at, folder } = await bench(t, rowsOf({}, 1000));
    at(1, () => appendFile(input, 'more,of,it\n'));
    const stopped = await exits(
      run(),
      3,
      /the input changed while it was being read \(it had [\d,]+ bytes, now it has [\d,]+\)/,
      /Score it again with --restart/,
    );
    assert.doesNotMatch(stopped.stderr, /to resume, run/);
    assert.ok(!(await readdir(folder)).includes('out.csv'));
    const again = await run();
    assert.match(again.stderr, /the input has changed since the unfinished run began: .*Use --restart/s);
    assert.doesNotMatch(again.stderr, /different command/);
  });

  it('that is modified while it is read stops the run', async t => {
    const { input, run, at, folder } = await bench(t, rowsOf({}, 1000));
    at(5, () => utimes(input, 1, 1));
    await exits(run(), 3, /the input changed while it was being read/);
    assert.ok(!(await readdir(folder)).includes('out.csv'));
    await exits(run(), 0);
  });

  it('that ends inside quotes keeps the rows before, and the run resumes with the complete input', async t => {
    const whole = Buffer.concat([rowsOf({}, 1000), Buffer.from('1000,"a plan",note\n')]);
    const { run, output } = await bench(t, whole);
    await run();
    const wanted = await output();
    await exits(run(whole.subarray(0, -10)), 3, /stdin:1002: the quote that opens on this line/);
    await exits(run(whole), 0, /resuming at row 1,001/);
    assert.equal(await output(), wanted);
  });

  it('that ends without a newline is complete', async t => {
    const { run, output } = await bench(t, Buffer.alloc(0));
    await exits(run(rowsOf({}, 1000).subarray(0, -1)), 0);
    assert.match(await output(), /\n999,[^\n]*$/);
  });

  describe('as gzip', () => {
    const plain = rowsOf({}, 3000);
    const packed = gzipSync(plain);

    it('that is truncated keeps the rows before', async t => {
      const { run, folder } = await bench(t, packed.subarray(0, packed.length / 2));
      await exits(run(), 3, /in\.csv: the gzip data is truncated \[bad_gzip\]/);
      assert.ok((await readdir(folder)).includes('out.csv.checkpoint'));
    });

    it('that is damaged stops the run', async t => {
      const damaged = Buffer.from(packed);
      damaged.writeUInt32LE(0, packed.length - 8); // its CRC-32 (RFC 1952 section 2.3.1)
      const { run } = await bench(t, damaged);
      await exits(run(), 3, /in\.csv: the gzip data is damaged: /);
    });

    it('that is followed by other bytes stops the run', async t => {
      const { run } = await bench(t, Buffer.concat([packed, Buffer.from('garbage')]));
      await exits(run(), 3, /in\.csv: the gzip data is damaged: /);
    });

    const cut = plain.indexOf('\n', plain.length / 2) - 5;
    const members = [plain.subarray(0, cut), Buffer.alloc(0), plain.subarray(cut)].map(part =>
      gzipSync(part),
    );
    for (const { what, bytes } of [
      { what: 'of several members', bytes: Buffer.concat(members) },
      { what: 'with zeros at its end', bytes: Buffer.concat([packed, Buffer.alloc(2 << 20)]) },
    ])
      it(`${what} is read to its end`, async t => {
        const { run, output } = await bench(t, bytes);
        await exits(run(), 0);
        const packedToo = await output();
        await run(plain);
        assert.equal(packedToo, await output());
      });
  });
});
