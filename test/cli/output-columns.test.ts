import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { startStub } from '../support/stub/service.ts';

async function bench(t: TestContext, input: Buffer | string) {
  const { env } = await startStub(t);
  const commands = await commandsIn(t, { 'in.csv': input }, env);
  return { ...commands, score: (more = '') => commands.run(`score in.csv --report r -o out.csv ${more}`) };
}

const text = 'id,name,plan\n1,Zoë,"a,b"\n2,Łukasz,\n';

describe('the columns of an output', () => {
  it('are chosen, renamed and rounded by options, with which it verifies', async t => {
    const { run, score, read } = await bench(t, text);
    const options = '--keep plan,id --rename id=customer --probabilities yes --decimals 2';
    await exits(score(`${options} --threshold yes=0.3`), 0);
    assert.match(
      await read('out.csv'),
      /^plan,customer,probability_yes,predicted_\w+\n"a,b",1,0\.\d\d,(no|yes)\n,2,0\.\d\d,(no|yes)\n$/,
    );
    await exits(run(`verify in.csv out.csv ${options} --threshold yes=0.3`), 0);
    await exits(run('verify in.csv out.csv'), 4);
  });

  it('may come from an input in another encoding, without a header', async t => {
    const bytes = Buffer.from(text.replace(/^.*\n/, ''), 'utf16le');
    const { run, score, read } = await bench(t, Buffer.concat([Buffer.from([0xff, 0xfe]), bytes]));
    assert.match((await score()).stderr, /the file is UTF-16, not UTF-8 .*\n.*--encoding utf-16/);
    const options = '--encoding utf-16 --names id,name,plan';
    await exits(score(`${options} --no-output-header`), 0);
    assert.match(await read('out.csv'), /^1,Zoë,"a,b",[\d.]+,[\d.]+\n2,Łukasz,,[\d.]+,[\d.]+\n$/);
    await exits(run(`verify in.csv out.csv ${options} --no-output-header`), 0);
    await score(options);
    assert.match(await read('out.csv'), /^\ufeffid,name,plan,probability_no,probability_yes\n1,Zoë/);
  });

  it('of a rejects file are kept, so that its rows can be put back', async t => {
    const { run, score, read, write } = await bench(t, text.replace('\n2,', '\n2'));
    const options = '--keep plan --decimals 3 --no-output-header';
    const { stderr } = await score(options);
    const [command = '', repair = ''] = [...stderr.matchAll(/^ {2}rowcast (.*)$/gm)].map(
      ([, words]) => words ?? '',
    );
    assert.equal(command, 'score out.csv.rejects --report r --keep plan --decimals 3 -o out.csv.corrected');
    const rejects = await read('out.csv.rejects');
    await write('out.csv.rejects', rejects.replace('2Łukasz', '2,Łukasz'));
    await exits(run(command), 0);
    await exits(run(`${repair} ${options}`), 0);
    assert.match(await read('out.csv'), /^"a,b",0\.\d{3},0\.\d{3}\n,0\.\d{3},0\.\d{3}\n$/);
    await exits(run(`verify in.csv out.csv ${options}`), 0);
  });

  for (const [args, says] of [
    ['--keep id,pan', /no column "pan".*\n.*Did you mean "plan"\?/],
    ['--keep id,id', /two columns "id"/],
    ['--rename nam=x', /no column "nam".*\n.*Did you mean "name"\?/],
    ['--rename id=name', /two columns "name"/],
    ['--rename id=probability_yes', /two columns "probability_yes"/],
    ['--threshold yess=0.3 --classes no,yes', /no class "yess".*\n.*Did you mean "yes"\?/],
    ['--threshold yes=30', /--threshold: expected a mapping of names to numbers from 0 to 1/],
    ['--probabilities none --classes no,yes', /nothing would be appended/],
    ['--names a,b', /--names has 2 names, but the first record 3 fields/],
    ['--encoding utf-9', /no encoding "utf-9"/],
    ['--decimals 21', /--decimals: expected a whole number from 0 to 20/],
  ] as const)
    it(`are refused before anything is written: ${args}`, async t => {
      const { score, read } = await bench(t, text);
      const { code, stderr } = await score(args);
      assert.deepEqual([code, await read('out.csv').catch(() => 'none')], [2, 'none'], stderr);
      assert.match(stderr, says);
    });
});
