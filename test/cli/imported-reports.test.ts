import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { importedHome, importedRows } from '../support/service/imported-home.ts';
import { serving } from '../support/service/serving.ts';
import { shared } from '../support/shared.ts';
import { slow } from '../support/slow.ts';

const rows = 60;

/** Each report, with the additional columns of its outputs, and what it predicts. */
const reports = {
  number: { header: 'predicted_amount', kind: 'numbers', columns: 1 },
  numbers: { header: 'probability_low,probability_high,probability_mid', kind: 'numbers', columns: 3 },
  classes: { header: 'probability_no,probability_yes', kind: 'distribution', columns: 2 },
} as const;

/** A data directory with imported reports, and a service that has the same. */
const imported = shared(async suite => {
  const home = await importedHome(suite);
  return { home, ...(await serving(suite, { home })) };
});

/** A folder with an input, and commands that use the local reports or the service. */
async function bench(t: TestContext) {
  const commands = await commandsIn(t, { 'in.csv': importedRows(rows), 'x.csv': 'x\n3\n9\n4\n' });
  const { home, url, key } = imported();
  const run = (line: string) => commands.run(line, { env: { ROWCAST_HOME: home } });
  const remote = (line: string) => commands.run(line, { env: { ROWCAST_API_KEY: key, ROWCAST_URL: url } });
  return { ...commands, run, remote };
}

for (const [report, { header, kind, columns }] of Object.entries(reports))
  describe(`commands with the imported report "${report}"`, () => {
    const asked = `--report ${report}`;
    // Several numbers are less often what is imported.
    const test = report === 'numbers' ? slow : it;

    test('score the same by the local report and over HTTP, in each format', async t => {
      const { run, remote, read } = await bench(t);
      for (const name of ['out.csv', 'out.jsonl']) {
        await exits(run(`score in.csv ${asked} -o ${name}`), 0);
        await exits(remote(`score in.csv ${asked} -o remote.${name}`), 0);
        assert.equal(await read(`remote.${name}`), await read(name));
      }
      const [first = '', ...scored] = (await read('out.csv')).trimEnd().split('\n');
      assert.ok(first.endsWith(`,constant,${header}`), first);
      assert.equal(scored.length, rows);
      for (const line of scored) assert.match(line, new RegExp(`,1(,\\d+(\\.\\d+)?(e-\\d+)?){${columns}}$`));
    });

    test('tell what a run would append, without and with a request', async t => {
      const { run, remote } = await bench(t);
      const understood =
        {
          number: /understood +a number for each row/,
          numbers: /understood +the numbers low, high, mid for each row/,
          classes: /understood +a probability for each of the classes no, yes/,
        }[report] ?? /never/;
      const first =
        {
          number: /first row +3\.0272689800358914$/m,
          numbers: /first row +low 0\.2508154572777173, high 0\.316\d+, mid 0\.46\d+$/m,
          classes: /first row +no 0\.74\d+, yes 0\.25\d+$/m,
        }[report] ?? /never/;
      for (const command of [run, remote]) {
        await exits(command(`plan in.csv ${asked} -o out.csv`), 0);
        const probed = await exits(command(`plan in.csv ${asked} -o out.csv --probe 10`), 0);
        assert.match(probed.stdout, understood);
        assert.match(probed.stdout, first);
      }
    });

    test('say where the model comes from, and that it has no testing results', async t => {
      const { cwd, run, remote } = await bench(t);
      for (const command of [run, remote]) {
        const { stdout } = await exits(command(`report ${report}`), 0);
        assert.match(stdout, /^Imported model\n\n {2}library +LightGBM \(v\d\)\n {2}objective +/m);
        assert.match(stdout, /SHA-256 of the file +[0-9a-f]{64}$/m);
        assert.doesNotMatch(stdout, /Quality|Drivers/);
        const results = await command(`testing-results ${report} -o tested.csv`);
        assert.match(results.stderr, /the report "\w+" was imported, so it has no testing results/);
        assert.notEqual(results.code, 0);
        assert.ok(!(await readdir(cwd)).includes('tested.csv'));
      }
    });

    slow('plan shards, score them and join them to the same bytes', async t => {
      const { run, remote, read } = await bench(t);
      await exits(run(`score in.csv ${asked} -o out.csv`), 0);
      for (const [name, command] of Object.entries({ run, remote })) {
        const target = `-o ${name}.csv --shards ${name}.parts`;
        await exits(command(`plan in.csv ${asked} ${target}`), 0);
        await exits(command(`work ${name}.parts`), 0);
        await exits(command(`assemble ${name}.parts`), 0);
        assert.equal(await read(`${name}.csv`), await read('out.csv'));
      }
    });

    slow('say in the summary and on its page what was predicted', async t => {
      const { run, remote, read, jsonIn } = await bench(t);
      for (const command of [run, remote]) {
        const files = '--summary run.json --summary-html run.html';
        await exits(command(`score in.csv ${asked} -o out.csv ${files} --if-exists replace`), 0);
        const summary = await jsonIn('run.json');
        assert.equal(summary.prediction.kind, kind);
        const predicted = {
          number: 'a number',
          numbers: 'the numbers low, high, mid',
          classes: 'probabilities of no, yes',
        }[report];
        assert.ok((await read('run.html')).includes(`<dt>Predicted</dt><dd>${predicted}</dd>`));
      }
    });
  });

describe('a report of numbers', () => {
  it('names its column after what it predicts, which is not sent, else "prediction"', async t => {
    const { run, remote, read, write } = await bench(t);
    await write('known.csv', importedRows(2).replace('constant', 'amount'));
    for (const command of [run, remote]) {
      await exits(command('score known.csv --report number -o known.out.csv --if-exists replace'), 0);
      assert.match(await read('known.out.csv'), /,amount,predicted_amount\n/);
      const named = 'score x.csv --report unbounded --predict y -o y.csv --if-exists replace';
      await exits(command(named), 1);
      assert.match(await read('y.csv'), /^x,predicted_y\n/);
      await exits(
        command('score in.csv --report number --predict y -o z.csv'),
        2,
        /--predict: the report predicts "amount", not "y"/,
      );
    }
  });

  it('rounds numbers, and joins names to a prefix', async t => {
    const { run, remote, read } = await bench(t);
    for (const command of [run, remote]) {
      const more = '--decimals 2 --prefix p --if-exists replace';
      await exits(command(`score in.csv --report numbers -o out.csv ${more}`), 0);
      assert.match(await read('out.csv'), /,p_low,p_high,p_mid\n0,0,.*,1,0\.25,0\.32,0\.46\n/);
    }
  });

  it('rejects a row whose number is not finite, which a repair puts back into its place', async t => {
    const { run, remote, read, write } = await bench(t);
    for (const [name, command] of Object.entries({ run, remote })) {
      const output = `${name}.csv`;
      const scored = await exits(command(`score x.csv --report unbounded -o ${output}`), 1);
      assert.equal(await read(output), `x,prediction\n3,${Math.E}\n9,\n4,${Math.E}\n`);
      const rejects = await read(`${output}.rejects`);
      assert.match(rejects, /\n2,3,wrong_prediction,the number is Infinity,9\n$/);
      await exits(run(`verify x.csv ${output}`), 0);
      await write(`${output}.rejects`, rejects.replace(/,9\n$/, ',5\n'));
      const printed = scored.stderr.match(/^ {2}rowcast .*$/gm) ?? [];
      assert.equal(printed.length, 2);
      for (const line of printed) await exits(command(line.replace('rowcast', '')), 0);
      assert.equal(await read(output), `x,prediction\n3,${Math.E}\n5,${Math.E}\n4,${Math.E}\n`);
    }
  });

  it('is listed with what it predicts', async t => {
    const { run } = await bench(t);
    const { stdout } = await exits(run('reports'), 0);
    assert.match(stdout, /^number +amount +a number +none: LightGBM, 4 trees$/m);
    assert.match(stdout, /^numbers +– +the numbers low, high, mid +none: LightGBM, 6 trees$/m);
    assert.match(stdout, /^classes +churn +no, yes +none: LightGBM, 6 trees$/m);
    const listed = JSON.parse((await exits(run('reports --json'), 0)).stdout).reports;
    assert.deepEqual(
      listed.map(({ id, classes, numbers }: Record<string, unknown>) => [id, classes, numbers]),
      [
        ['classes', ['no', 'yes'], null],
        ['number', null, []],
        ['numbers', null, ['low', 'high', 'mid']],
        ['unbounded', null, []],
      ],
    );
  });
});
