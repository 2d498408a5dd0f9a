import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast, spawnRowcast, waitForStderr } from '../../support/rowcast.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { header, malformed, row, wide } from '../../support/service/uploads.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const good = `${header}\n${`${row}\n`.repeat(3000)}`;

/** A folder with an input, and the environment of the local reports. */
async function prepare(t: TestContext, input: string | Buffer = good) {
  const folder = await newFolder(t);
  const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(from, input);
  const env = { ROWCAST_HOME: await trainedHome() };
  return { folder, from, to, env, args: ['batch-predict', from, '-o', to, '--report', 'one'] };
}

/** The same, with a stub in place of the service; `first` handles its requests. */
async function prepareStub(t: TestContext, first: StubOptions['first'] & {}) {
  const stub = await startStub(t, { first });
  const prepared = await prepare(t);
  const args = [...prepared.args, '--url', stub.url];
  return { ...prepared, args, env: { ROWCAST_API_KEY: stub.key } };
}

/** Asserts that the folder contains only the input. */
async function checkNothingLeft(folder: string): Promise<void> {
  assert.deepEqual(await readdir(folder), ['in.csv']);
}

describe('rowcast batch-predict', () => {
  it('writes the same output as score, from file to file', async t => {
    const { folder, from, to, env, args } = await prepare(t);
    const { stdout, stderr } = await exits(rowcast(args, { env }), 0);
    assert.equal(String(stdout), '');
    assert.match(stderr, /3,000 rows scored in [\d.]+ s, to .*out\.csv/);
    const scored = await rowcast(['score', from, '--report', 'one'], { env });
    assert.equal(await readFile(to, 'utf8'), String(scored.stdout));
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('counts the values that the model does not know, without those that do not occur', async t => {
    const { url, key } = await serving(t);
    for (const [rows, says] of [
      ['much,Basic,3\n', "1 is not of its column's type"],
      ['1,x,3\n1,x,3\n', '2 are unknown categories'],
      ['much,Basic,3\nmuch,x,3\n', "2 are not of their column's type, 1 is an unknown category"],
    ]) {
      const { args } = await prepare(t, `${header}\n${rows}`);
      const { stderr } = await rowcast([...args, '--url', url], { env: { ROWCAST_API_KEY: key } });
      assert.ok(stderr.includes(`count as missing or rare: ${says}\n`), stderr);
    }
  });

  it('reads stdin, plain or gzip, and writes only CSV to stdout', async t => {
    const { env } = await prepare(t);
    for (const stdin of [good, gzipSync(good)]) {
      const { stdout } = await exits(rowcast(['batch-predict', '--report', 'one'], { env, stdin }), 0);
      assert.equal(String(stdout).split('\n').length, 3002);
    }
  });

  it('writes gzip if the output is named .gz', async t => {
    const { folder, to, env, args } = await prepare(t);
    await rowcast(args, { env });
    const packed = join(folder, 'out.csv.gz');
    await rowcast(
      args.map(word => (word === to ? packed : word)),
      { env },
    );
    assert.deepEqual(gunzipSync(await readFile(packed)), await readFile(to));
  });

  it('exits with 1 if rows were rejected', async t => {
    const { to, env, args } = await prepare(t, `${good}${malformed}\n`);
    await exits(rowcast(args, { env }), 1, /3,000 rows scored, 1 rejected/);
    assert.equal((await readFile(to, 'utf8')).split('\n').length, 3002);
  });

  it('exits with 2 if nothing was done, and leaves OUTPUT unchanged', async t => {
    const { folder, from, to, env, args } = await prepare(t);
    await writeFile(to, 'former');
    const cases: [string[], RegExp][] = [
      [['batch-predict', from, '-o', to], /no report given/],
      [args.map(word => (word === 'one' ? 'three' : word)), /there is no report "three" \[no_such_report\]/],
      [args.map(word => (word === from ? 'none.csv' : word)), /\[no_such_file\]/],
      [['batch-predict', from, '-o', from, '--report', 'one'], /\[output_is_input\]/],
      [['batch-predict', from, '-o', join(from, 'out.csv'), '--report', 'one'], /\[unwritable_output\]/],
    ];
    for (const [words, said] of cases) {
      const { code, stderr } = await rowcast(words, { env });
      assert.match(stderr, said);
      assert.equal(code, 2, stderr);
    }
    for (const [input, said] of [
      ['a,b\n1,2\n', /in\.csv:1: .*\[missing_columns\]/],
      ['', /in\.csv: .*\[empty_input\]/],
      [`${header}\n1,"x`, /in\.csv:2: .*\[unclosed_quote\]/],
      [`${header}\n1,${'x'.repeat(2 << 20)},2\n`, /in\.csv:2: .*\[record_too_long\]/],
    ] as const) {
      await writeFile(from, input);
      const { code, stderr } = await rowcast(args, { env });
      assert.match(stderr, said);
      assert.equal(code, 2, stderr);
    }
    assert.equal(await readFile(to, 'utf8'), 'former');
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('exits with 2 if the key is wrong, even while a large file is being sent', async t => {
    const { env, ...prepared } = await prepareStub(t, (request, response) => {
      request.resume();
      response.writeHead(401, { 'content-type': 'application/problem+json' });
      response.end('{"code":"unauthorized","detail":"no such key"}');
      return true;
    });
    await writeFile(prepared.from, wide.rows(50_000));
    const { code, stderr } = await rowcast(prepared.args, { env });
    assert.match(stderr, /401: no such key \[unauthorized\]/);
    assert.equal(code, 2);
    await checkNothingLeft(prepared.folder);
  });

  it('exits with 3 if the input turns out to be invalid, and leaves OUTPUT unchanged', async t => {
    const { folder, to, env, args } = await prepare(t, `${good}1,"x`);
    await writeFile(to, 'former');
    await exits(
      rowcast(args, { env }),
      3,
      /in\.csv:3002: the quote that opens on this line is not closed .*\[unclosed_quote\]/,
    );
    assert.equal(await readFile(to, 'utf8'), 'former');
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('exits with 75 if the service closes the connection, and leaves OUTPUT unchanged', async t => {
    const { folder, to, args } = await prepare(t, `${good}1,"x`);
    const { url, key } = await serving(t);
    const env = { ROWCAST_URL: url, ROWCAST_API_KEY: key };
    await writeFile(to, 'former');
    await exits(
      rowcast(args, { env }),
      75,
      /the connection was closed: .*\[connection_broken\]\n.*rowcast score reports/,
    );
    assert.equal(await readFile(to, 'utf8'), 'former');
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  for (const [what, trailer, code, said] of [
    ['3 if the response ends without its row counts', undefined, 3, /without its row counts[\s\S]*proxy/],
    ['3 if its row counts are invalid', 'read=3', 3, /without its row counts/],
    ['4 if its row counts do not add up', 'read=3, scored=1, rejected=1', 4, /\[unbalanced\]/],
  ] as const)
    it(`exits with ${what}, and writes no OUTPUT`, async t => {
      const { folder, env, args } = await prepareStub(t, (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/csv', trailer: 'x-rowcast-accounts' });
        response.write('a,b\n');
        request.once('end', () => {
          if (trailer !== undefined) response.addTrailers({ 'x-rowcast-accounts': trailer });
          response.end();
        });
        return true;
      });
      const finished = await rowcast(args, { env });
      assert.equal(finished.code, code);
      assert.match(finished.stderr, said);
      await checkNothingLeft(folder);
    });

  it('exits with 3 if the response ends before the whole input was sent', async t => {
    const prepared = await prepareStub(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', trailer: 'x-rowcast-accounts' });
      response.write('a,b\n');
      response.addTrailers({ 'x-rowcast-accounts': 'read=0, scored=0, rejected=0' });
      response.end();
      return true;
    });
    await writeFile(prepared.from, wide.rows(50_000));
    await exits(rowcast(prepared.args, { env: prepared.env }), 3);
    await checkNothingLeft(prepared.folder);
  });

  it('exits with 75 if no data is sent or received for longer than the timeout', async t => {
    const { folder, env, args } = await prepareStub(t, () => true);
    await exits(
      rowcast([...args, '--idle-timeout', '0.5'], { env }),
      75,
      /no data was sent or received for 0\.5 s \[service_timeout\]/,
    );
    await checkNothingLeft(folder);
  });

  it('waits for a slow stdin and a slow reader beyond the timeout', async t => {
    const { env } = await prepare(t);
    const child = spawnRowcast(['batch-predict', '--report', 'one', '--idle-timeout', '3'], { env });
    const ended = once(child, 'close');
    let text = '';
    child.stdout.on('data', chunk => {
      text += chunk;
    });
    const pause = () => new Promise(done => setTimeout(done, 3500));
    await waitForStderr(child, /sending stdin/);
    child.stdin.write(good.slice(0, 10));
    await pause();
    child.stdin.write(good.slice(10));
    await once(child.stdout, 'data');
    await pause();
    child.stdin.end(`${row}\n`);
    assert.deepEqual(await ended, [0, null]);
    assert.equal(text.split('\n').length, 3003);
  });

  it('exits with 130 when interrupted, even if its reader has stopped, and leaves no files behind', async t => {
    const { folder, env } = await prepare(t);
    const to = join(folder, 'out.csv');
    for (const output of [to, '-']) {
      const words = ['batch-predict', '-o', output, '--report', 'one'];
      const child = spawnRowcast(words, { env });
      const ended = once(child, 'close');
      child.stdin.write(good.repeat(20));
      if (output === '-') await once(child.stdout, 'readable');
      else await until(async () => (await readdir(folder)).includes('out.csv.partial'));
      child.kill('SIGINT');
      child.stdout.resume();
      assert.deepEqual(await ended, [130, null]);
      await checkNothingLeft(folder);
    }
  });

  it('exits with 0 when the reader of stdout closes its end', async t => {
    const { env } = await prepare(t);
    const child = spawnRowcast(['batch-predict', '--report', 'one'], { env });
    const ended = once(child, 'close');
    child.stdin.write(good.repeat(100));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    assert.deepEqual(await ended, [0, null]);
  });

  it('does not touch an output that another run is writing or has not finished', async t => {
    const { folder, to, env, args } = await prepare(t);
    const other = spawnRowcast(['batch-predict', '-o', to, '--report', 'one'], { env });
    other.stdin.write(good);
    await until(async () => (await readdir(folder)).includes('out.csv.partial'));
    const refused = await rowcast(args, { env });
    assert.match(refused.stderr, /\[locked\]/);
    assert.equal(refused.code, 75);
    other.kill('SIGKILL');
    await once(other, 'close');
    await writeFile(`${to}.checkpoint`, '{}');
    const kept = await rowcast(args, { env });
    assert.match(kept.stderr, /the output has an unfinished run of `rowcast score` \[other_work\]/);
    assert.equal(kept.code, 2);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(done => setTimeout(done, 20));
}
