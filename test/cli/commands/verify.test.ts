import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { slow } from '../../support/slow.ts';
import { startStub } from '../../support/stub/service.ts';

const INPUT = 'id,note\n1,a\n\n2,"b,\nc"\n3\n4,d\n';
const OUTPUT = 'id,note,p_no,p_yes\n1,a,0.25,0.75\n\n2,"b,\nc",,\n4,d,1,0\n';
const REJECTS =
  'reject_row,reject_line,reject_code,reject_reason,id,note\n2,4,odd,,2,"b,\nc"\n' +
  '3,6,too_few_fields,"the record has 1 field, the header 2",3\n';

/** A folder with an input, its output, and the given files. */
const bench = (t: TestContext, files: Record<string, string | Buffer> = {}, env = {}) =>
  commandsIn(t, { 'in.csv': INPUT, 'out.csv': OUTPUT, ...files }, env);

describe('rowcast verify', () => {
  slow('accepts what rowcast score wrote for real customers, gzip or plain', async t => {
    const { env } = await startStub(t);
    const { run } = await commandsIn(t, {}, env);
    const personas = join(root, 'fixtures/telecom-personas.csv');
    for (const output of ['scored.csv', 'scored.csv.gz']) {
      await exits(run(`score ${personas} --report r --prediction -o ${output}`), 0);
      const says =
        /scored\.csv(\.gz)? matches .*: 2,000 rows, 2,000 scored, 0 rejected, 0 blank lines; in .* s, .* rows\/s\n$/;
      const { stdout } = await exits(run(`verify ${personas} ${output}`), 0, says);
      assert.equal(stdout, '');
    }
  });

  slow('waits a few seconds for a service that is down, whatever a definition says of its run', async t => {
    const stub = await startStub(t);
    await stub.close();
    const files = {
      'job.yaml': 'score: { input: in.csv, output: out.csv, report: r }\nservice: { max-outage: 1h }',
      'in.csv': 'id,note\n1,a\n',
      'out.csv': 'id,note,p_no,p_yes\n1,a,0.25,0.75\n',
    };
    const { run } = await bench(t, files, stub.env);
    const sample = 'verify in.csv out.csv --sample 1 --definition job.yaml';
    await exits(run(sample), 75, /cannot connect to the service.*for up to 5 s/);
    const given = await exits(run(`${sample} --max-outage 0`), 75);
    assert.doesNotMatch(given.stderr, /up to 5 s/);
  });

  it('checks only the rows that the run was limited to', async t => {
    const { run } = await bench(t);
    const stdin = 'id,note,p_no,p_yes\n1,a,0.25,0.75\n';
    await exits(run('verify in.csv - --limit 1', { stdin }), 0, /1 row, 1 scored/);
  });

  it('reads one of the files from stdin', async t => {
    const { run } = await bench(t, { 'out.csv.rejects': REJECTS });
    const input = run('verify - out.csv', { stdin: gzipSync(INPUT) });
    await exits(input, 0, /^rowcast: out\.csv matches stdin: 4 rows, 2 scored, 2 rejected/);
    const output = run('verify in.csv -', { stdin: OUTPUT });
    await exits(output, 0, /^rowcast: stdin matches in\.csv: 4 rows.*not checked: no rejects file/);
  });

  it('compares the rejects next to the output, following links, or the given ones', async t => {
    const other = REJECTS.slice(0, REJECTS.indexOf('3,6,'));
    const { run, path } = await bench(t, { 'out.csv.rejects': REJECTS, 'other.csv': other });
    await symlink('out.csv', path('link.csv'));
    await exits(run('verify in.csv link.csv'), 0, /1 malformed; all in .*out\.csv\.rejects\)/);
    const says =
      /^rowcast: other\.csv:4: row 3, at in\.csv:6, was not scored, but is not in the rejects file \[difference\]\n/;
    await exits(run('verify in.csv out.csv --rejects other.csv'), 4, says);
  });

  it('reports a rejects file that was deleted', async t => {
    const { run } = await bench(t);
    const says =
      /^rowcast: out\.csv\.rejects: the rejects file is missing, but 2 rows of the input were rejected \[difference\]\n {2}Restore it, or name it with --rejects\./;
    await exits(run('verify in.csv out.csv'), 4, says);
  });

  it('uses a tab for .tsv, and the delimiter that is given', async t => {
    const tabs = (text: string): string => text.replaceAll(',', '\t');
    const semicolons = (text: string): string => text.replaceAll(',', ';');
    // Without commas, the reason needs no quotes.
    const rejects = REJECTS.replace(/"(the record has 1 field, the header 2)"/, '$1');
    const { run } = await bench(t, {
      'in.tsv': tabs(INPUT),
      'tabs.csv': tabs(OUTPUT),
      'lone-quote.tsv': 'a\tb\n"x\ty\n',
      'lone-quote-out.tsv': 'a\tb\tp_no\tp_yes\n"x\ty\t0\t1\n',
      'tabs.rejects': tabs(rejects).replace('\t the', ', the'),
      's.rejects': semicolons(rejects).replace('; the', ', the'),
      's.csv': semicolons(INPUT),
      's-out.csv': semicolons(OUTPUT),
      'q.csv': "a,b\n'x,y',z\n",
      'q-out.csv': "a,b,p_no,p_yes\n'x,y',z,0,1\n",
      'bare.csv': 'a,b\n"x,y\n',
      'bare-out.csv': 'a,b,p_no,p_yes\n"x,y,0,1\n',
    });
    for (const words of [
      'in.tsv tabs.csv --quote " --rejects tabs.rejects',
      'lone-quote.tsv lone-quote-out.tsv',
      's.csv s-out.csv --delimiter ; --rejects s.rejects',
      "q.csv q-out.csv --quote '",
      'bare.csv bare-out.csv --quote none',
    ])
      await exits(run(`verify ${words}`), 0);
  });

  it('warns of a quoted field that may have swallowed rows', async t => {
    const row = (appended: string): string => `1,"${'2,b\n'.repeat(120)}"${appended}\n`;
    const { run } = await bench(t, {
      'in.csv': `id,note\n${row('')}`,
      'out.csv': `id,note,p_no,p_yes\n${row(',0,1')}`,
    });
    const says = /^rowcast: in\.csv:2: the quoted field that opens on this line is 121 lines/;
    await exits(run('verify in.csv out.csv'), 0, says);
  });

  it('exits with 4 for a difference, 3 for a file that cannot be read on, and 2 for what cannot begin', async t => {
    const { run } = await bench(t, {
      'changed.csv': OUTPUT.replace('4,d,1,0', '4,d,1,0.5'),
      'open.csv': 'a,b\n1,2\n3,"4\n',
      'open-out.csv': 'a,b,p_no,p_yes\n1,2,0,1\n',
      'cut.csv.gz': gzipSync(OUTPUT).subarray(0, 40),
      'late.csv.checkpoint': '{}',
    });
    for (const [code, words, says] of [
      [
        4,
        'in.csv changed.csv',
        /^rowcast: changed\.csv:6: the probabilities sum to 1\.5, not to 1, in row 4, at in\.csv:7 \[difference\]\n {2}Row 4\. .*\n$/,
      ],
      [4, 'out.csv in.csv', /^rowcast: in\.csv:1: the header does not start /],
      [2, 'in.csv', /missing argument: OUTPUT/],
      [2, 'none.csv out.csv', /^rowcast: none\.csv: no such file/],
      [2, 'in.csv none.csv', /^rowcast: none\.csv: no such file/],
      [2, 'in.csv out.csv --rejects none.csv', /^rowcast: none\.csv: no such file/],
      [2, 'in.csv /', /^rowcast: \/: .* folder/],
      [2, '- -', /stdin can be used for one file only/],
      [2, 'in.csv out.csv --delimiter ab', /--delimiter "ab"/],
      [2, 'in.csv out.csv --max-record-bytes x', /--max-record-bytes: /],
      [3, 'open.csv open-out.csv', /^rowcast: open\.csv:3: .* not closed/],
      [3, 'in.csv cut.csv.gz', /^rowcast: cut\.csv\.gz: .*gzip data/],
      [3, 'in.csv out.csv --max-record-bytes 8', /^rowcast: in\.csv:4: .* longer than 8 bytes/],
      [
        2,
        'in.csv late.csv',
        /^rowcast: late\.csv: the run .* not finished .*\n {2}To see its progress: rowcast status late\.csv\n/,
      ],
    ] as const)
      assert.equal((await exits(run(`verify ${words}`), code, says)).stdout, '');
  });

  it('checks that there is a predicted column, or none, if it is told', async t => {
    const rows = 'id,note,p_no,p_yes,predicted_x\n1,a,0.25,0.75,yes\n';
    const { run } = await bench(t, {
      'in.csv': 'id,note\n1,a\n',
      'out.csv': rows,
      'bare.csv': rows.replaceAll(/,(predicted_x|yes)$/gm, ''),
      'no-header.csv': '1,a,0.25,0.75,yes\n',
    });
    const bare = '--no-output-header --probabilities no,yes';
    for (const [words, code] of [
      ['out.csv', 0],
      ['out.csv --prediction', 0],
      ['out.csv --no-prediction', 4],
      ['out.csv --prediction --threshold yes=0.4', 0],
      ['bare.csv', 0],
      ['bare.csv --no-prediction', 0],
      ['bare.csv --threshold yes=0.4', 4],
      [`no-header.csv --prediction ${bare}`, 0],
      [`no-header.csv --no-prediction ${bare}`, 4],
    ] as const)
      await exits(run(`verify in.csv ${words}`), code);
    const says = /^rowcast: bare\.csv:1: there is no predicted column, predicted_… \[difference\]/;
    await exits(run('verify in.csv bare.csv --prediction'), 4, says);
  });
});
