import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { edgeCases } from '../../../fixtures/edge-cases.ts';
import { RowcastError } from '../../../src/base/errors.ts';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { score } from '../../support/scoring/score.ts';
import { slow } from '../../support/slow.ts';
import { connect } from '../../support/stub/connect.ts';

const { maxRecordBytes } = scoreDefaults;

describe('what score writes', () => {
  it('verifies for every edge case that can be scored', async t => {
    const folder = await newFolder(t);
    const { client } = await connect(t);
    const verified: string[] = [];
    for (const [name, bytes] of edgeCases()) {
      const [input, output] = [join(folder, name), join(folder, `scored-${name}`)];
      const delimiter = name.startsWith('semicolon') ? ';' : undefined;
      // Columns with a duplicate or empty name cannot be sent.
      const drop = /duplicate|empty-name/.test(name) ? { features: ['tenure', 'contract'] } : {};
      await writeFile(input, bytes);
      const options = { ...scoreDefaults, ...drop, delimiter, input, output, classes: ['no', 'yes'] };
      const scored = await score({ ...options, report: 'r' }, client).catch(error => {
        assert.ok(error instanceof RowcastError, String(error));
      });
      if (scored === undefined) continue;
      const tally = await verifyOutput({ input, output, delimiter, maxRecordBytes });
      assert.equal(tally.scored, scored.rowCounts.scored, name);
      assert.equal(tally.blank, scored.rowCounts.blank, name);
      verified.push(name);
    }
    assert.equal(verified.length, 33, verified.join(' '));
  });
});

describe('verify', () => {
  /** Enough rows for several batches of every file, with blank lines. */
  const rows = Array.from({ length: 60_000 }, (_, index) => `${index},"a ""b""",${'x'.repeat(30)}`);
  const input = `id,note,long\n${rows.join('\n')}\n`;
  const output = `id,note,long,p_no,p_yes\n${rows.map(row => `${row},0.25,0.75`).join('\n')}\n`;

  slow('reads files of many batches side by side, gzip or plain', async t => {
    const folder = await newFolder(t);
    const files = { plain: join(folder, 'in.csv'), gzip: join(folder, 'in.csv.gz') };
    await writeFile(files.plain, input);
    await writeFile(files.gzip, gzipSync(input));
    await writeFile(join(folder, 'out.csv'), output);
    await writeFile(join(folder, 'out.csv.gz'), gzipSync(output));
    for (const file of Object.values(files))
      for (const name of ['out.csv', 'out.csv.gz']) {
        const tally = await verifyOutput({ input: file, output: join(folder, name), maxRecordBytes });
        assert.deepEqual(tally, {
          rows: 60_000,
          scored: 60_000,
          repaired: 0,
          unscored: 0,
          malformed: 0,
          blank: 0,
        });
      }
  });

  it('reports the line of a difference deep inside the files', async t => {
    const folder = await newFolder(t);
    const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    await writeFile(from, input);
    await writeFile(to, output.replace('\n54321,', '\n5432I,'));
    await assert.rejects(verifyOutput({ input: from, output: to, maxRecordBytes }), {
      code: 'difference',
      severity: 'unbalanced',
      message: `the column "id" differs from row 54322, at ${from}:54323`,
      location: { file: to, line: 54_323, row: 54_322 },
    });
  });

  const broken: [string, string, RegExp][] = [
    [
      'an output with an unclosed quote',
      output.replace('59999,"a ""b""",', '59999,"a ""b"",'),
      /^the quote that opens on this line is not closed .*; the record at .*in\.csv:60001 should be here$/,
    ],
    ['a truncated output', output.slice(0, -3), /^p_yes is written as "0\.", not as 0, in row 60000, /],
    ['an empty output', '', /^the file is empty$/],
    ['an output with a truncated header', 'id,"no', /a quote in the header is not closed/],
  ];
  for (const [name, text, says] of broken)
    it(`reports ${name} as a difference`, async t => {
      const folder = await newFolder(t);
      const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
      await writeFile(from, input);
      await writeFile(to, text);
      await assert.rejects(verifyOutput({ input: from, output: to, maxRecordBytes }), (error: unknown) => {
        assert.ok(error instanceof RowcastError);
        assert.deepEqual([error.code, error.location.file], ['difference', to]);
        assert.match(error.message, says);
        return true;
      });
    });

  it('does not report a damaged file as a difference', async t => {
    const folder = await newFolder(t);
    const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv.gz')];
    await writeFile(from, input);
    await writeFile(to, gzipSync(output).subarray(0, 9000));
    await assert.rejects(verifyOutput({ input: from, output: to, maxRecordBytes }), { code: 'bad_gzip' });
    await writeFile(from, 'id,note,long\n1,2,"3\n');
    await assert.rejects(verifyOutput({ input: from, output: to, maxRecordBytes }), {
      code: 'unclosed_quote',
    });
    await assert.rejects(verifyOutput({ input: join(folder, 'none'), output: to, maxRecordBytes }), {
      code: 'no_such_file',
    });
  });
});
