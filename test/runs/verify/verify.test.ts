import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RowcastError } from '../../../src/base/errors.ts';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { slow } from '../../support/slow.ts';

const { maxRecordBytes } = scoreDefaults;

describe('verify', () => {
  /** Enough rows for several batches of every file, with blank lines. */
  const rows = Array.from({ length: 24_000 }, (_, index) => `${index},"a ""b""",${'x'.repeat(30)}`);
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
          rows: 24_000,
          scored: 24_000,
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
    await writeFile(to, output.replace('\n21098,', '\n2I098,'));
    await assert.rejects(verifyOutput({ input: from, output: to, maxRecordBytes }), {
      code: 'difference',
      severity: 'unbalanced',
      message: `the column "id" differs from row 21099, at ${from}:21100`,
      location: { file: to, line: 21_100, row: 21_099 },
    });
  });

  const broken: [string, string, RegExp][] = [
    [
      'an output with an unclosed quote',
      output.replace('23999,"a ""b""",', '23999,"a ""b"",'),
      /^the quote that opens on this line is not closed .*; the record at .*in\.csv:24001 should be here$/,
    ],
    ['a truncated output', output.slice(0, -3), /^p_yes is written as "0\.", not as 0, in row 24000, /],
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
