import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startStub } from '../../support/stub/service.ts';

describe('an output called .tsv', () => {
  it('is refused if its input is separated by commas, before anything is written', async t => {
    const stub = await startStub(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n' });
    const { env } = stub;
    for (const output of ['out.tsv', 'OUT.TSV.gz']) {
      await exits(
        rowcast(['score', 'in.csv', '-o', output, '--report', 'r'], {
          cwd,
          env,
        }),
        2,
        /would have the delimiter of the input, "," \[wrong_suffix\]\n {2}Give the output another/,
      );
    }
    assert.deepEqual(await readdir(cwd), ['in.csv']);
    assert.equal(stub.bodies.length, 0);
  });
});
