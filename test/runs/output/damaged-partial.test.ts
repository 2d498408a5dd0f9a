import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFile,
  copyFile,
  open,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Output } from '../../../src/runs/output/output.ts';
import { openOutput, pieceOf, pointAt } from '../../support/file-output.ts';
import { newFolder } from '../../support/folder.ts';

/** What another program does to a file while a run writes it. */
const damages: Record<string, (path: string) => Promise<void>> = {
  'is cut to its first bytes': path => truncate(path, 10),
  'loses its last byte': async path => truncate(path, (await readFile(path)).length - 1),
  'gets bytes of another program': path => appendFile(path, 'foreign\n'),
  'is replaced by a file of the same size': async path => {
    await writeFile(`${path}.other`, Buffer.alloc((await readFile(path)).length, 'x'));
    await rename(`${path}.other`, path);
  },
  'is removed': path => rm(path),
};

/** Even compressed, each piece of the output is longer than the bytes that a checkpoint has a digest of. */
const textOf = (row: number): string =>
  `${createHash('shake256', { outputLength: 97_000 }).update(`${row}`).digest('hex')}\n`;

const write = (output: Output, row: number): Promise<void> =>
  output.write(pieceOf(textOf(row), `rejected ${textOf(row)}`), () => pointAt(row + 1));

/** An output with one row that a checkpoint covers, and one that none does. */
async function halfWritten(t: TestContext, name: string) {
  const path = join(await newFolder(t), name);
  const output = await openOutput(path);
  await write(output, 1);
  await output.save();
  const covered = (await stat(`${path}.partial`)).size;
  await write(output, 2);
  // A gzip member is compressed in the background, and written in several parts.
  while ((await stat(`${path}.partial`)).size === covered) await setImmediate();
  if (name.endsWith('.gz')) while (!isWholeGzip(await readFile(`${path}.partial`))) await setImmediate();
  return { path, output };
}

function isWholeGzip(bytes: Buffer): boolean {
  try {
    gunzipSync(bytes);
    return true;
  } catch {
    return false;
  }
}

const isDamage = (error: { code: string; severity: string }): boolean => {
  assert.match(error.code, /^(partial_too_short|partial_damaged|output_lost)$/);
  return true;
};

const files = {
  'a plain output': { name: 'out.csv', suffix: '.partial' },
  'a gzip output': { name: 'out.csv.gz', suffix: '.partial' },
  'the rejects': { name: 'out.csv', suffix: '.rejects.partial' },
};

for (const [what, { name, suffix }] of Object.entries(files))
  describe(`${what} whose partial file is modified while it is written`, () => {
    for (const [how, damage] of Object.entries(damages)) {
      it(`is not covered by another checkpoint if it ${how}`, async t => {
        const { path, output } = await halfWritten(t, name);
        await damage(path + suffix);
        const before = await readFile(`${path}.checkpoint`, 'utf8');
        await write(output, 3);
        await assert.rejects(output.save(), isDamage);
        await assert.rejects(write(output, 4), { severity: 'stopped' });
        await output.suspend();
        assert.equal(await readFile(`${path}.checkpoint`, 'utf8'), before);
      });

      it(`is not published if it ${how}`, async t => {
        const { path, output } = await halfWritten(t, name);
        await damage(path + suffix);
        await write(output, 3);
        await assert.rejects(output.finish(pointAt(4)), isDamage);
        await output.suspend();
        await assert.rejects(readFile(path), { code: 'ENOENT' });
      });
    }

    it('is neither covered nor published if its last bytes are others', async t => {
      for (const end of [(output: Output) => output.save(), (output: Output) => output.finish(pointAt(3))]) {
        const { path, output } = await halfWritten(t, name);
        const size = (await readFile(path + suffix)).length;
        const file = await open(path + suffix, 'r+');
        await file.write('XX', size - 2);
        await file.close();
        await assert.rejects(end(output), { code: 'partial_damaged' });
        await output.suspend();
      }
    });
  });

describe('a run whose partial file is modified', () => {
  it('can be resumed if the file lost only what no checkpoint covers, and says so', async t => {
    for (const name of ['out.csv', 'out.csv.gz']) {
      const { path, output } = await halfWritten(t, name);
      await truncate(`${path}.partial`, (await readFile(`${path}.partial`)).length - 1);
      await write(output, 3);
      await assert.rejects(output.save(), { hint: /run the same command again/ });
      assert.equal((await output.suspend())?.row, 2);
      const resumed = await openOutput(path);
      for (const row of [2, 3]) await write(resumed, row);
      await resumed.finish(pointAt(4));
      const bytes = await readFile(path);
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      assert.ok(text === [1, 2, 3].map(textOf).join(''), name);
    }
  });

  it('cannot be resumed if the file lost what the checkpoint covers, and says so', async t => {
    const { path, output } = await halfWritten(t, 'out.csv');
    await truncate(`${path}.partial`, 10);
    await write(output, 3);
    await assert.rejects(output.save(), { hint: /--restart/ });
    assert.equal(await output.suspend(), undefined);
    await assert.rejects(openOutput(path), { code: /^partial_/, hint: /--restart/ });
  });

  it('starts over if there is no checkpoint yet', async t => {
    const path = join(await newFolder(t), 'out.csv');
    const output = await openOutput(path);
    await write(output, 1);
    await truncate(`${path}.partial`, 10);
    await write(output, 2);
    await assert.rejects(output.save(), { hint: /run the same command again/ });
    assert.equal(await output.suspend(), undefined);
    const again = await openOutput(path);
    assert.equal(again.previous, undefined);
    await again.suspend();
  });

  it('is refused when it is resumed, if its process was killed after the file was cut', async t => {
    const { path, output } = await halfWritten(t, 'out.csv');
    await truncate(`${path}.partial`, 10);
    for (const row of [3, 4]) await write(output, row);
    // What a killed process leaves: the files as they are now, without an end.
    for (const suffix of ['.partial', '.checkpoint', '.rejects.partial'])
      await copyFile(path + suffix, `${path}.killed${suffix}`);
    await output.suspend();
    await assert.rejects(openOutput(`${path}.killed`), { code: 'partial_damaged' });
  });
});
