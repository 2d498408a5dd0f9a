import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { slow } from '../../support/slow.ts';
import { startStub } from '../../support/stub/service.ts';

const INPUT = 'id,note\n1,a\n\n2,"b,\nc"\n3\n4,d\n';
const OUTPUT = 'id,note,p_no,p_yes\n1,a,0.25,0.75\n\n2,"b,\nc",,\n4,d,1,0\n';
const REJECTS =
  'reject_row,reject_line,reject_code,reject_reason,id,note\n2,4,odd,,2,"b,\nc"\n' +
  '3,6,too_few_fields,"the record has 1 field, the header 2",3\n';

/** A folder with an input, its output and rejects, and the given files. */
async function newPair(t: TestContext, files: Record<string, string | Buffer> = {}): Promise<string> {
  const cwd = await newFolder(t);
  await writePair(cwd, files);
  return cwd;
}

async function writePair(cwd: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, text] of Object.entries({ 'in.csv': INPUT, 'out.csv': OUTPUT, ...files }))
    await writeFile(join(cwd, name), text);
}

describe('rowcast verify', () => {
  slow('accepts what rowcast score wrote for real customers, gzip or plain', async t => {
    const cwd = await newFolder(t);
    const { env } = await startStub(t);
    const personas = join(root, 'fixtures/telecom-personas.csv');
    for (const output of ['scored.csv', 'scored.csv.gz']) {
      const args = ['score', personas, '--report', 'r', '--prediction', '-o', output];
      assert.equal((await rowcast(args, { cwd, env })).code, 0);
      const { stdout, stderr } = await exits(rowcast(['verify', personas, output], { cwd }), 0);
      assert.equal(stdout.length, 0);
      assert.match(
        stderr,
        /scored\.csv(\.gz)? matches .*: 2,000 rows, 2,000 scored, 0 rejected, 0 blank lines; in .* s, .* rows\/s\n$/,
      );
    }
  });

  slow('waits a few seconds for a service that is down, whatever a definition says of its run', async t => {
    const job = 'score: { input: in.csv, output: out.csv, report: r }\nservice: { max-outage: 1h }';
    const one = { 'in.csv': 'id,note\n1,a\n', 'out.csv': 'id,note,p_no,p_yes\n1,a,0.25,0.75\n' };
    const cwd = await newPair(t, { ...one, 'job.yaml': job });
    const stub = await startStub(t);
    await stub.close();
    const { env } = stub;
    const sample = ['verify', 'in.csv', 'out.csv', '--sample', '1', '--definition', 'job.yaml'];
    await exits(rowcast(sample, { cwd, env }), 75, /cannot connect to the service.*for up to 5 s/);
    const given = await exits(rowcast([...sample, '--max-outage', '0'], { cwd, env }), 75);
    assert.doesNotMatch(given.stderr, /up to 5 s/);
  });

  it('checks only the rows that the run was limited to', async t => {
    const cwd = await newPair(t);
    const { code, stderr } = await rowcast(['verify', 'in.csv', '-', '--limit', '1'], {
      cwd,
      stdin: 'id,note,p_no,p_yes\n1,a,0.25,0.75\n',
    });
    assert.match(stderr, /1 row, 1 scored/);
    assert.equal(code, 0);
  });

  it('reads one of the files from stdin', async t => {
    const cwd = await newPair(t, { 'out.csv.rejects': REJECTS });
    const input = await rowcast(['verify', '-', 'out.csv'], { cwd, stdin: gzipSync(INPUT) });
    assert.match(input.stderr, /^rowcast: out\.csv matches stdin: 4 rows, 2 scored, 2 rejected/);
    const output = await rowcast(['verify', 'in.csv', '-'], { cwd, stdin: OUTPUT });
    assert.match(output.stderr, /^rowcast: stdin matches in\.csv: 4 rows.*not checked: no rejects file/);
    assert.deepEqual([input.code, output.code], [0, 0]);
  });

  it('compares the rejects next to the output, following links, or the given ones', async t => {
    const cwd = await newPair(t, {
      'out.csv.rejects': REJECTS,
      'other.csv': REJECTS.slice(0, REJECTS.indexOf('3,6,')),
    });
    await symlink('out.csv', join(cwd, 'link.csv'));
    const adjacent = await rowcast(['verify', 'in.csv', 'link.csv'], { cwd });
    assert.match(adjacent.stderr, /1 malformed; all in .*out\.csv\.rejects\)/);
    await exits(
      rowcast(['verify', 'in.csv', 'out.csv', '--rejects', 'other.csv'], { cwd }),
      4,
      /^rowcast: other\.csv:4: row 3, at in\.csv:6, was not scored, but is not in the rejects file \[difference\]\n/,
    );
  });

  it('reports a rejects file that was deleted', async t => {
    await exits(
      rowcast(['verify', 'in.csv', 'out.csv'], { cwd: await newPair(t) }),
      4,
      /^rowcast: out\.csv\.rejects: the rejects file is missing, but 2 rows of the input were rejected \[difference\]\n {2}Restore it, or name it with --rejects\./,
    );
  });

  it('uses a tab for .tsv, and the delimiter that is given', async t => {
    const tabs = (text: string): string => text.replaceAll(',', '\t');
    const semicolons = (text: string): string => text.replaceAll(',', ';');
    // Without commas, the reason needs no quotes.
    const rejects = REJECTS.replace(
      '"the record has 1 field, the header 2"',
      'the record has 1 field, the header 2',
    );
    const cwd = await newPair(t, {
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
    for (const args of [
      ['in.tsv', 'tabs.csv', '--quote', '"', '--rejects', 'tabs.rejects'],
      ['lone-quote.tsv', 'lone-quote-out.tsv'],
      ['s.csv', 's-out.csv', '--delimiter', ';', '--rejects', 's.rejects'],
      ['q.csv', 'q-out.csv', '--quote', "'"],
      ['bare.csv', 'bare-out.csv', '--quote', 'none'],
    ]) {
      await exits(rowcast(['verify', ...args], { cwd }), 0);
    }
  });

  it('warns of a quoted field that may have swallowed rows', async t => {
    const row = (appended: string): string => `1,"${'2,b\n'.repeat(120)}"${appended}\n`;
    const cwd = await newPair(t, {
      'in.csv': `id,note\n${row('')}`,
      'out.csv': `id,note,p_no,p_yes\n${row(',0,1')}`,
    });
    const { code, stderr } = await rowcast(['verify', 'in.csv', 'out.csv'], { cwd });
    assert.match(stderr, /^rowcast: in\.csv:2: the quoted field that opens on this line is 121 lines/);
    assert.equal(code, 0);
  });

  describe('exits with', () => {
    let cwd: string;
    before(async () => {
      cwd = await mkdtemp(join(tmpdir(), 'rowcast-verify-'));
      await writePair(cwd, {
        'changed.csv': OUTPUT.replace('4,d,1,0', '4,d,1,0.5'),
        'open.csv': 'a,b\n1,2\n3,"4\n',
        'open-out.csv': 'a,b,p_no,p_yes\n1,2,0,1\n',
        'cut.csv.gz': gzipSync(OUTPUT).subarray(0, 40),
      });
    });
    after(() => rm(cwd, { recursive: true }));
    const cases: [string, number, string[], RegExp][] = [
      [
        'a difference',
        4,
        ['in.csv', 'changed.csv'],
        /^rowcast: changed\.csv:6: the probabilities sum to 1\.5, not to 1, in row 4, at in\.csv:7 \[difference\]\n {2}Row 4\. .*\n$/,
      ],
      ['the files swapped', 4, ['out.csv', 'in.csv'], /^rowcast: in\.csv:1: the header does not start /],
      ['one file missing', 2, ['in.csv'], /missing argument: OUTPUT/],
      ['an input that does not exist', 2, ['none.csv', 'out.csv'], /^rowcast: none\.csv: no such file/],
      ['an output that does not exist', 2, ['in.csv', 'none.csv'], /^rowcast: none\.csv: no such file/],
      [
        'a rejects file that does not exist',
        2,
        ['in.csv', 'out.csv', '--rejects', 'none.csv'],
        /^rowcast: none\.csv: no such file/,
      ],
      ['a folder', 2, ['in.csv', '/'], /^rowcast: \/: .* folder/],
      ['stdin twice', 2, ['-', '-'], /stdin can be used for one file only/],
      ['an invalid delimiter', 2, ['in.csv', 'out.csv', '--delimiter', 'ab'], /--delimiter "ab"/],
      ['an invalid size', 2, ['in.csv', 'out.csv', '--max-record-bytes', 'x'], /--max-record-bytes: /],
      [
        'an unclosed quote in the input',
        3,
        ['open.csv', 'open-out.csv'],
        /^rowcast: open\.csv:3: .* not closed/,
      ],
      ['a damaged output', 3, ['in.csv', 'cut.csv.gz'], /^rowcast: cut\.csv\.gz: .*gzip data/],
      [
        'a long record',
        3,
        ['in.csv', 'out.csv', '--max-record-bytes', '8'],
        /^rowcast: in\.csv:4: .* longer than 8 bytes/,
      ],
    ];
    for (const [name, code, args, says] of cases)
      it(`${code} for ${name}`, async () => {
        const finished = await rowcast(['verify', ...args], { cwd });
        assert.match(finished.stderr, says);
        assert.equal(finished.code, code);
        assert.equal(finished.stdout.length, 0);
      });
  });

  it('checks that there is a predicted column, or none, if it is told', async t => {
    const rows = 'id,note,p_no,p_yes,predicted_x\n1,a,0.25,0.75,yes\n';
    const cwd = await newPair(t, {
      'in.csv': 'id,note\n1,a\n',
      'out.csv': rows,
      'bare.csv': rows.replaceAll(/,(predicted_x|yes)$/gm, ''),
      'no-header.csv': '1,a,0.25,0.75,yes\n',
    });
    const bare = ['--no-output-header', '--probabilities', 'no,yes'];
    for (const [output, flags, code] of [
      ['out.csv', [], 0],
      ['out.csv', ['--prediction'], 0],
      ['out.csv', ['--no-prediction'], 4],
      ['out.csv', ['--prediction', '--threshold', 'yes=0.4'], 0],
      ['bare.csv', [], 0],
      ['bare.csv', ['--prediction'], 4],
      ['bare.csv', ['--no-prediction'], 0],
      ['bare.csv', ['--threshold', 'yes=0.4'], 4],
      ['no-header.csv', ['--prediction', ...bare], 0],
      ['no-header.csv', ['--no-prediction', ...bare], 4],
    ] as const) {
      const finished = await rowcast(['verify', 'in.csv', output, ...flags], { cwd });
      assert.equal(finished.code, code, `${output} ${flags.join(' ')}: ${finished.stderr}`);
    }
    const { stderr } = await rowcast(['verify', 'in.csv', 'bare.csv', '--prediction'], { cwd });
    assert.match(stderr, /^rowcast: bare\.csv:1: there is no predicted column, predicted_… \[difference\]/);
  });

  it('points to rowcast status if the run is not finished', async t => {
    const cwd = await newPair(t, { 'late.csv.checkpoint': '{}' });
    await exits(
      rowcast(['verify', 'in.csv', 'late.csv'], { cwd }),
      2,
      /^rowcast: late\.csv: the run .* not finished .*\n {2}To see its progress: rowcast status late\.csv\n/,
    );
  });
});
