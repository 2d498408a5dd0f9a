import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFile, watch } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { protocolNames } from '../../src/base/contract/protocol-names.ts';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { datarobot, kserveV1, openInference, own } from '../support/protocols/dialects.ts';
import { type Behave, type Dialect, startModelServer } from '../support/protocols/model-server.ts';
import { startRowcast } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { key } from '../support/secrets.ts';
import { slow } from '../support/slow.ts';

const rows = Array.from({ length: 120 }, (_, id) => `${id},text ${id},${id / 8}\n`);
const input = Buffer.from(`id,text,amount\n${rows.join('')}`);

const custom = `
  protocol: custom
  custom:
    request: { path: /score, query: { v: "2" }, layout: arrays, body: { columns: $columns, data: $rows } }
    response: { rows: /result/predictions, row: { probabilities: /proba }, classes: /result/classes }
    errors: { message: /detail }
    ready: /readyz
`;

/** A server, and a folder with an input, whose commands end with a code. */
async function served(t: TestContext, dialect: Dialect, behave?: Behave) {
  const server = await startModelServer(t, dialect, behave);
  const env = { ROWCAST_URL: server.url, ...(dialect.needsKey && { ROWCAST_API_KEY: key }) };
  const commands = await commandsIn(t, { 'in.csv': input }, env);
  return {
    ...server,
    ...commands,
    run: (code: number, line: string, ...says: readonly RegExp[]) => exits(commands.run(line), code, ...says),
    assertAllScored: async () => assertScored(await commands.bytesIn('out.csv'), input),
  };
}

const asKserve = '--protocol kserve-v1 --report r --classes no,yes';
const types = '--types id=integer,text=text,amount=float';

describe('rowcast protocols', () => {
  it('lists all, and shows what one sends and reads', async t => {
    const { run, json } = await commandsIn(t);
    const { stdout } = await run('protocols');
    for (const name of protocolNames) assert.match(stdout, new RegExp(`^${name} `, 'm'));
    const one = (await run('protocols mlflow')).stdout;
    assert.match(one, /^request +POST \/invocations$/m);
    assert.match(one, /^body +\{"dataframe_split":\{"columns":"\$columns","data":"\$rows"\}\}$/m);
    assert.match(one, /^batch-bytes +at most 16,000,000$/m);
    const { protocols } = await json('protocols --json');
    assert.deepEqual(
      protocols.map(({ name }: { name: string }) => name),
      protocolNames,
    );
    await exits(run('protocols mlflo'), 2, /Did you mean mlflow\?/);
  });
});

describe('a command with another protocol', () => {
  it('takes the description of a server, and what is sent to it, from a definition', async t => {
    const { run, write, url } = await served(t, own);
    const section = 'score: { input: in.csv, output: out.csv, report: r, keep: [id], decimals: 6 }';
    await write('score.yaml', `service:\n  url: ${url}${custom}${section}\n`);
    await run(0, 'run score.yaml');
    const says = /9 rows predicted again, with the same result/;
    await run(0, 'verify in.csv out.csv --sample 9 --definition score.yaml', says);
    const { stdout } = await run(0, 'predict --definition score.yaml id=1 text=a amount=2.5');
    assert.deepEqual(Object.keys(JSON.parse(stdout).probabilities), ['no', 'yes']);
    const without = /needs a description.*\n.*--definition/;
    await run(2, 'predict --protocol custom --report r id=1', without);
  });

  it('scores, and says in its summary what spoke', async t => {
    const { run, assertAllScored, jsonIn } = await served(t, kserveV1);
    await run(0, `score in.csv -o out.csv --summary s.json ${asKserve}`);
    await assertAllScored();
    const { protocol, prediction } = await jsonIn('s.json');
    assert.deepEqual([protocol, prediction], ['kserve-v1', { kind: 'distribution', classes: ['no', 'yes'] }]);
  });

  it('plans: prints the first body, and what was understood of responses', async t => {
    const { run, calls } = await served(t, datarobot);
    const plan = 'plan in.csv --protocol datarobot --report r';
    const { stdout } = await run(0, `${plan} --show-request --batch-rows 2`);
    assert.equal(stdout, 'id,text,amount\n0,text 0,0\n1,text 1,0.125\n\n');
    assert.equal(calls.length, 0);
    const probed = (await run(0, `${plan} --probe 2 --batch-rows 10`)).stdout;
    assert.match(probed, /^understood +a probability for each of the classes no, yes$/m);
    assert.match(probed, /^appended +probability_no, probability_yes$/m);
    assert.equal(calls.length, 2);
    const { inputs } = JSON.parse((await run(0, `${plan} --probe 1 --json`)).stdout);
    assert.deepEqual(inputs[0].appends, ['probability_no', 'probability_yes']);
    assert.deepEqual(inputs[0].probe.prediction, { kind: 'distribution', classes: ['no', 'yes'] });
  });

  it('needs no key where none is sent, and says so of one that is named', async t => {
    const { run, calls } = await served(t, openInference);
    const predict = 'predict id=1 text=a amount=2.5 --protocol open-inference --report r';
    const { stdout } = await run(0, `${predict} ${types}`);
    assert.match(stdout, /^\{"id":"r","label":"(yes|no)"\}\n$/);
    assert.equal(calls[0]?.request.headers.authorization, undefined);
    const says = /a key is named, but requests of this protocol are usually sent without one/;
    await run(2, 'score in.csv --protocol open-inference --report r --api-key-env ROWCAST_K', says);
  });

  slow('scores in shards: workers need nothing but the plan to ask in the same way', async t => {
    const { run, assertAllScored } = await served(t, openInference);
    const asInference = `--protocol open-inference --report r --classes no,yes ${types}`;
    await run(0, `score in.csv -o out.csv --workers 2 ${asInference}`);
    await assertAllScored();
  });

  it('predicts one persona, with probabilities by class', async t => {
    const { run } = await served(t, kserveV1);
    const { stdout } = await run(0, `predict id=1 text=a ${asKserve}`);
    const { id, probabilities } = JSON.parse(stdout);
    assert.deepEqual([id, Object.keys(probabilities)], ['r', ['no', 'yes']]);
  });

  it('refuses what only the protocol report has', async t => {
    const { run } = await served(t, kserveV1);
    for (const line of ['report r', 'testing-results r', 'batch-predict in.csv --report r']) {
      const says = `rowcast ${line.split(' ')[0]} works only with the protocol report, not with`;
      await run(2, `${line} --protocol kserve-v1`, new RegExp(says));
    }
    const score = `score in.csv ${asKserve}`;
    await run(2, `${score} --url local`, /the protocol kserve-v1 needs a server; give its --url/);
    const large = /--batch-bytes: at most 10,000,000 bytes with the protocol kserve-v1/;
    await run(2, `${score} --batch-bytes 10MiB`, large);
    await run(2, 'score in.csv --protocol custom --report r', /the protocol custom needs a description/);
    const sent = /--features has the column that --predict names: "text"/;
    await run(2, `${score} --predict text --features id,text`, sent);
  });
});

describe('the protocol custom', () => {
  slow('goes on after a kill with the same bytes', async t => {
    const requests = new EventEmitter();
    const arrived = once(requests, 'held');
    let isKilled = false;
    const { cwd, run, write, assertAllScored, url, calls } = await served(t, own, ({ number }) => {
      if (number < 6 || isKilled) return false;
      requests.emit('held');
      return true; // without a response
    });
    await write(
      'd.yaml',
      `service:\n  url: ${url}${custom}  concurrency: 1\n  batch-rows: 10\nscore: { input: in.csv, output: out.csv, report: r, checkpoint-interval: 0 }\n`,
    );
    const saved = untilSaved(cwd);
    const first = startRowcast(['run', 'd.yaml'], { cwd });
    await Promise.all([arrived, saved]);
    first.child.kill('SIGKILL');
    await first.finished;
    isKilled = true;
    await run(0, 'run d.yaml', /resum/);
    await assertAllScored();
    assert.ok(calls.length < 6 + 12, `${calls.length}`);
  });

  it('is checked without a connection, with the line of each problem', async t => {
    const lines = [
      'service:',
      '  url: https://models.example.com',
      '  protocol: custom',
      '  custom:',
      '    request:',
      '      path: score',
      '      query: { token: tell-nobody }',
      '      headers: { X-Api-Key: tell-nobody, "Content-Type": x }',
      '      layout: rows',
      '    response:',
      '      rows: result',
      '      row: { probabilities: /p, label: /l }',
      'score: { input: in.csv, report: r }',
    ];
    const { run, write } = await commandsIn(t, { 'd.yaml': lines.join('\n') });
    const { stderr } = await exits(run('check d.yaml'), 2);
    for (const [line, message] of [
      [6, 'request.path: expected a path that begins with a slash; got "score"'],
      [7, 'request.query.token: this may be a secret'],
      [8, 'request.headers.X-Api-Key: this may be a secret'],
      [8, 'request.headers.Content-Type: this header is set by rowcast'],
      [
        9,
        'request.layout: expected one of objects, arrays, columns, csv, csv-without-header, json-lines, got "rows"',
      ],
      [11, 'response.rows: expected a JSON Pointer'],
      [12, 'response.row: expected one of probabilities, label, number, numbers'],
    ] as const)
      assert.ok(stderr.includes(`d.yaml:${line}: service.custom.${message}`), `${message}\n${stderr}`);
    assert.ok(!stderr.includes('tell-nobody'));

    const definition = (template: string): string =>
      `service:\n  url: https://models.example.com${template}score: { input: in.csv, report: r }\n`;
    await write('d.yaml', definition(custom.replace('$rows', '$row')));
    await exits(run('check d.yaml'), 2, /d\.yaml:5: service\.custom\.request\.body: .*"\$row" is not one of/);
    await write('d.yaml', definition(custom));
    await exits(run('check d.yaml'), 0);
  });
});

/** Waits until a run that is started now has saved rows. */
async function untilSaved(folder: string): Promise<void> {
  const checkpoint = 'out.csv.checkpoint';
  for await (const { filename } of watch(folder)) {
    if (filename === null || !filename.startsWith(checkpoint)) continue;
    const saved = await readFile(join(folder, checkpoint), 'utf8').catch(() => '');
    if (/"position":\{"offset":\d+,"row":\d{2}/.test(saved)) return;
  }
}
