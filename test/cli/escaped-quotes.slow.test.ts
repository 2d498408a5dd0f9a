import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inputBench as bench } from '../support/cli/input-bench.ts';
import { exits } from '../support/rowcast.ts';

describe('quotes that a backslash escapes', () => {
  const text = 'id,note\n1,"say \\"a\\", b"\n2,"a \\\\ b \\n"\n3,plain \\"\n4,"""old"""\n';

  it('are read with --escape, in every format of the output, which verifies', async t => {
    for (const output of ['out.csv', 'out.jsonl', 'out.parquet', 'out.csv.gz']) {
      const { run, score, read } = await bench(t, text);
      await exits(score(`--escape \\ --classes no,yes -o ${output}`), 0);
      await exits(run(`verify in.csv ${output} --escape \\`), 0);
      if (output === 'out.csv')
        assert.match(await read(output), /\n1,"say \\"a\\", b",[\d.]+,[\d.]+\n2,"a \\\\ b \\n",/);
      if (output !== 'out.jsonl') continue;
      const notes = (await read(output))
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).note);
      assert.deepEqual(notes, ['say "a", b', 'a \\ b \\n', 'plain \\"', '"old"']);
    }
  });

  it('are part of what a run is: with another option, it is not resumed', async t => {
    const rows = Array.from({ length: 40 }, (_, row) => `${row},"x \\"y\\""\n`).join('');
    const { score, read } = await bench(t, `id,note\nid,note\n${rows}1\n2\n`);
    const how = '--batch-rows 10 --checkpoint-interval 0';
    const run = (options: string) => score(`${how} ${options}`);
    const own = '--escape \\ --skip-lines 1';
    await exits(run(`${own} --max-rejects 1`), 3);
    for (const [escaper, lines, says] of [
      ['!', '1', /escape/],
      ['"', '1', /escape/],
      ['\\', '0', /skip-lines/],
      ['!', '0', /escape/],
    ] as const) {
      await exits(run(`--escape ${escaper} --skip-lines ${lines}`), 2, /\[other_work\]/, says);
    }
    await exits(run(own), 1, /resuming at row/);
    assert.match(await read('out.csv'), /^id,note,.*\n0,"x \\"y\\"",/);
  });

  it('are those of the rejects, which are corrected and put back', async t => {
    const { run, score, read, cwd } = await bench(t, `${text}5\n6,"z \\""\n`);
    const own = '--escape \\ --classes no,yes';
    await exits(score(own), 1);
    const rejects = await read('out.csv.rejects');
    await writeFile(join(cwd, 'out.csv.rejects'), rejects.replace(/,5$/m, ',5,"c \\", d"'));
    await exits(run(`score out.csv.rejects --report r ${own} -o again.csv`), 0);
    assert.notEqual((await run('repair out.csv again.csv')).code, 0);
    await exits(run('repair out.csv again.csv --escape \\'), 0);
    assert.match(await read('out.csv'), /\n5,"c \\", d",0\.\d+,0\.\d+\n6,"z \\"",/);
    await exits(run('verify in.csv out.csv --escape \\'), 0);
  });

  it('are read by train, as quotes that are doubled', async t => {
    const notes = ['a "q", b', 'c \\ d', 'e'];
    const history = (escaped: (note: string) => string): string =>
      `note,plan\n${Array.from({ length: 90 }, (_, row) => `"${escaped(notes[row % 3] ?? '')}",${row % 3 === 0 ? 'a' : 'b'}\n`).join('')}`;
    const { run, cwd } = await bench(
      t,
      history(note => note.replace(/[\\"]/g, '\\$&')),
    );
    await writeFile(
      join(cwd, 'doubled.csv'),
      history(note => note.replaceAll('"', '""')),
    );
    const train = async (file: string, options = ''): Promise<string> => {
      const args = `--predict plan --report r --if-exists replace ${options}`;
      await exits(run(`train ${file} ${args}`), 0);
      const report = await run('report r --json');
      return String(report.stdout);
    };
    assert.equal(await train('in.csv', '--escape \\'), await train('doubled.csv'));
  });

  it('are a plain message if the character cannot escape anything, and the quote itself is the default', async t => {
    const { score } = await bench(t, 'id,note\n1,"a ""b"""\n2,x\n');
    await exits(score('--escape " --classes no,yes'), 0);
    for (const options of ['--escape ab', '--escape ,', '--escape \\ --quote none']) {
      await exits(score(options), 2, /--escape .* cannot escape quotes/);
    }
  });

  it('are hinted at by a reject without the option', async t => {
    const rows = Array.from({ length: 40 }, (_, row) => `${row},"x"\n`).join('');
    const { score, verify, read } = await bench(t, `id,note\n${rows}1,"say \\"a\\" b"\n2,"c \\",x\n3,"d"\n`);
    const { stderr } = await exits(score(), 1);
    const hint =
      "in.csv:42: row rejected: text follows a closing quote; if a backslash escapes quotes, use --escape '\\'";
    assert.equal(stderr.split(hint).length, 2, 'the hint is there once');
    assert.equal(stderr.match(/row rejected/g)?.length, 1);
    const rejects = await read('out.csv.rejects');
    assert.match(
      rejects,
      /41,42,bad_quoting,"text follows a closing quote; if a backslash escapes quotes, use --escape '\\'"/,
    );
    await exits(verify(), 0);
  });

  it('make one reject of several lines, which limits count', async t => {
    const rows = Array.from({ length: 40 }, (_, row) => `${row},x,"y"\n`).join('');
    const { score, verify, read } = await bench(
      t,
      `id,a,note\n${rows}1,"say \\",",c\n${'2,x,y\n'.repeat(5)}3,"z",y\n`,
    );
    await exits(score(), 1);
    assert.match(
      await read('out.csv.rejects'),
      /the record has \d fields?, the header 3; it goes over 7 lines|text follows a closing quote; it goes over 7 lines/,
    );
    await exits(verify(), 0);
    await exits(score('--max-rejects 6 --restart -o other.csv'), 3, /1 of \d+ rows was rejected \(7 lines\)/);
  });
});
