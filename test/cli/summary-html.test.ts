import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exits } from '../support/rowcast.ts';
import { all, csv, filesWith } from '../support/scoring/files.ts';
import { slow } from '../support/slow.ts';
import { send } from '../support/stub/service.ts';

const statusOf = (page: string): string | undefined => /class="badge \w*">(\w+)</.exec(page)?.[1];

describe('--summary-html', () => {
  it('is written for a run that has finished, with its numbers', async t => {
    const { score, read } = await filesWith(t, { 'a.csv': `${csv(1234)}bad\n` });
    await exits(score('a.csv -o out.csv --summary-html run.html'), 1);
    const page = await read('run.html');
    assert.equal(statusOf(page), 'finished');
    assert.match(page, /1,234/);
    assert.match(page, /too_few_fields/);
    assert.match(page, /<h2 id="classes">/);
  });

  it('says that a run is in progress until it ends, also if it fails', async t => {
    let during = '';
    const { score, cwd, read } = await filesWith(
      t,
      { 'a.csv': csv(3) },
      {
        async behave({ response }) {
          during = await readFile(join(cwd, 'run.html'), 'utf8');
          send(response, 401, { code: 'unauthorized' });
          return true;
        },
      },
    );
    await exits(score('a.csv -o out.csv --summary-html run.html'), 2);
    assert.equal(statusOf(during), 'running');
    assert.equal(statusOf(await read('run.html')), 'refused');
  });

  slow('has the totals of several files and a line for each', async t => {
    const { score, read } = await filesWith(t, { 'in/a.csv': csv(3), 'in/b.csv': csv(4), 'in/c.csv': 'x\n' });
    await exits(score(`${all} --summary-html run.html`), 3);
    const page = await read('run.html');
    assert.match(page, /<dt>Rows scored<\/dt><dd><span class="tile-value">7</);
    assert.match(page, /3\u00a0files/);
    assert.match(page, /\[missing_columns\]/);
  });
});
