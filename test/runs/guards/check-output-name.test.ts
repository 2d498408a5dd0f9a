import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startStub } from '../../support/stub/service.ts';

describe('an output called .tsv', () => {
  it('is refused if its input is separated by commas, before anything is written, and has the tabs of one with tabs', async t => {
    const { env, bodies } = await startStub(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n', 'in.txt': 'a\tb\n1\t2\n' });
    const score = (words: string) => rowcast(`score --report r ${words}`.split(' '), { cwd, env });
    const says = /would have the delimiter of the input, "," \[wrong_suffix\]\n {2}Give the output another/;
    for (const output of ['out.tsv', 'OUT.TSV.gz']) await exits(score(`in.csv -o ${output}`), 2, says);
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 'in.txt']);
    assert.equal(bodies.length, 0);
    await exits(score('in.txt --delimiter tab -o out.tsv'), 0);
  });
});
