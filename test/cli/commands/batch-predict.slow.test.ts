import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits, spawnRowcast, waitForStderr } from '../../support/rowcast.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { header, malformed, row, wide } from '../../support/service/uploads.ts';
import { until } from '../../support/stores/queue-run.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const good = `${header}\n${`${row}\n`.repeat(3000)}`;
const toFile = 'batch-predict in.csv -o out.csv --report one';
const toStdout = 'batch-predict --report one';

/** A folder with an input, and local reports. @param former what the output has */
async function bench(t: TestContext, input: string | Buffer = good, former?: string) {
  const files = { 'in.csv': input, ...(former !== undefined && { 'out.csv': former }) };
  const commands = await commandsIn(t, files, { ROWCAST_HOME: await trainedHome() });
  /** Asserts that there are only the input, and the former output. */
  const assertNothingLeft = async (): Promise<void> => {
    assert.deepEqual((await readdir(commands.cwd)).sort(), Object.keys(files));
    if (former !== undefined) assert.equal(await commands.read('out.csv'), former);
  };
  /** In a process of its own, whose stdin stays open. */
  const start = (line: string) => {
    const child = spawnRowcast(line.split(' '), commands);
    return { child, ended: once(child, 'close') };
  };
  return { ...commands, assertNothingLeft, start };
}

/** The same, with a stub in place of the service; `first` handles its requests. */
async function stubBench(t: TestContext, first: StubOptions['first'] & {}) {
  const stub = await startStub(t, { first });
  const { run, ...others } = await bench(t);
  return { ...others, run: (line: string) => run(line, { env: stub.env }) };
}

describe('rowcast batch-predict', () => {
  it('writes the same output as score, from file to file', async t => {
    const { cwd, run, read } = await bench(t);
    const { stdout } = await exits(run(toFile), 0, /3,000 rows scored in [\d.]+ s, to .*out\.csv/);
    assert.equal(stdout, '');
    assert.equal(await read('out.csv'), (await run('score in.csv --report one')).stdout);
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 'out.csv']);
  });

  it('counts the values that the model does not know, without those that do not occur', async t => {
    const { url, key } = await serving(t);
    for (const [rows, says] of [
      ['much,Basic,3\n', "1 is not of its column's type"],
      ['1,x,3\n1,x,3\n', '2 are unknown categories'],
      ['much,Basic,3\nmuch,x,3\n', "2 are not of their column's type, 1 is an unknown category"],
    ]) {
      const { run } = await bench(t, `${header}\n${rows}`);
      const { stderr } = await run(`${toFile} --url ${url}`, { env: { ROWCAST_API_KEY: key } });
      assert.ok(stderr.includes(`count as missing or rare: ${says}\n`), stderr);
    }
  });

  it('reads stdin, plain or gzip, and writes only CSV to stdout', async t => {
    const { run } = await bench(t);
    for (const stdin of [good, gzipSync(good)]) {
      const { stdout } = await exits(run(toStdout, { stdin }), 0);
      assert.equal(stdout.split('\n').length, 3002);
    }
  });

  it('writes gzip if the output is named .gz', async t => {
    const { run, bytesIn } = await bench(t);
    await run(toFile);
    await run(toFile.replace('out.csv', 'out.csv.gz'));
    assert.deepEqual(gunzipSync(await bytesIn('out.csv.gz')), await bytesIn('out.csv'));
  });

  it('exits with 1 if rows were rejected', async t => {
    const { run, read } = await bench(t, `${good}${malformed}\n`);
    await exits(run(toFile), 1, /3,000 rows scored, 1 rejected/);
    assert.equal((await read('out.csv')).split('\n').length, 3002);
  });

  it('exits with 2 if nothing was done, and leaves OUTPUT unchanged', async t => {
    const { run, write, assertNothingLeft } = await bench(t, good, 'former');
    for (const [line, said] of [
      [toFile.replace(' --report one', ''), /no report given/],
      [toFile.replace('one', 'three'), /there is no report "three" \[no_such_report\]/],
      [toFile.replace('in.csv', 'none.csv'), /\[no_such_file\]/],
      [toFile.replace('out.csv', 'in.csv'), /\[output_is_input\]/],
      [toFile.replace('out.csv', 'in.csv/out.csv'), /\[unwritable_output\]/],
    ] as const)
      await exits(run(line), 2, said);
    for (const [input, said] of [
      ['a,b\n1,2\n', /in\.csv:1: .*\[missing_columns\]/],
      ['', /in\.csv: .*\[empty_input\]/],
      [`${header}\n1,"x`, /in\.csv:2: .*\[unclosed_quote\]/],
      [`${header}\n1,${'x'.repeat(2 << 20)},2\n`, /in\.csv:2: .*\[record_too_long\]/],
    ] as const) {
      await write('in.csv', input);
      await exits(run(toFile), 2, said);
    }
    await assertNothingLeft();
  });

  it('exits with 2 if the key is wrong, even while a large file is being sent', async t => {
    const refuse: StubOptions['first'] = (request, response) => {
      request.resume();
      response.writeHead(401, { 'content-type': 'application/problem+json' });
      response.end('{"code":"unauthorized","detail":"no such key"}');
      return true;
    };
    const { run, path, assertNothingLeft } = await stubBench(t, refuse);
    await writeFile(path('in.csv'), wide.rows(50_000));
    await exits(run(toFile), 2, /401: no such key \[unauthorized\]/);
    await assertNothingLeft();
  });

  it('exits with 3 if the input turns out to be invalid, and leaves OUTPUT unchanged', async t => {
    const { run, assertNothingLeft } = await bench(t, `${good}1,"x`, 'former');
    const says = /in\.csv:3002: the quote that opens on this line is not closed .*\[unclosed_quote\]/;
    await exits(run(toFile), 3, says);
    await assertNothingLeft();
  });

  it('exits with 75 if the service closes the connection, and leaves OUTPUT unchanged', async t => {
    const { run, assertNothingLeft } = await bench(t, `${good}1,"x`, 'former');
    const { url, key } = await serving(t);
    const says = /the connection was closed: .*\[connection_broken\]\n.*rowcast score reports/;
    await exits(run(toFile, { env: { ROWCAST_URL: url, ROWCAST_API_KEY: key } }), 75, says);
    await assertNothingLeft();
  });

  for (const [what, trailer, code, said] of [
    ['3 if the response ends without its row counts', undefined, 3, /without its row counts[\s\S]*proxy/],
    ['3 if its row counts are invalid', 'read=3', 3, /without its row counts/],
    ['4 if its row counts do not add up', 'read=3, scored=1, rejected=1', 4, /\[unbalanced\]/],
  ] as const)
    it(`exits with ${what}, and writes no OUTPUT`, async t => {
      const { run, assertNothingLeft } = await stubBench(t, (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/csv', trailer: 'x-rowcast-accounts' });
        response.write('a,b\n');
        request.once('end', () => {
          if (trailer !== undefined) response.addTrailers({ 'x-rowcast-accounts': trailer });
          response.end();
        });
        return true;
      });
      await exits(run(toFile), code, said);
      await assertNothingLeft();
    });

  it('exits with 3 if the response ends before the whole input was sent', async t => {
    const end: StubOptions['first'] = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', trailer: 'x-rowcast-accounts' });
      response.write('a,b\n');
      response.addTrailers({ 'x-rowcast-accounts': 'read=0, scored=0, rejected=0' });
      response.end();
      return true;
    };
    const { run, path, assertNothingLeft } = await stubBench(t, end);
    await writeFile(path('in.csv'), wide.rows(50_000));
    await exits(run(toFile), 3);
    await assertNothingLeft();
  });

  it('exits with 75 if no data is sent or received for longer than the timeout', async t => {
    const { run, assertNothingLeft } = await stubBench(t, () => true);
    const says = /no data was sent or received for 0\.5 s \[service_timeout\]/;
    await exits(run(`${toFile} --idle-timeout 0.5`), 75, says);
    await assertNothingLeft();
  });

  it('waits for a slow stdin and a slow reader beyond the timeout', async t => {
    const { start } = await bench(t);
    const { child, ended } = start(`${toStdout} --idle-timeout 3`);
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
    const { cwd, start, assertNothingLeft } = await bench(t);
    for (const output of ['out.csv', '-']) {
      const { child, ended } = start(`${toStdout} -o ${output}`);
      child.stdin.write(good.repeat(20));
      if (output === '-') await once(child.stdout, 'readable');
      else await isBegun(cwd);
      child.kill('SIGINT');
      child.stdout.resume();
      assert.deepEqual(await ended, [130, null]);
      await assertNothingLeft();
    }
  });

  it('exits with 0 when the reader of stdout closes its end', async t => {
    const { start } = await bench(t);
    const { child, ended } = start(toStdout);
    child.stdin.write(good.repeat(100));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    assert.deepEqual(await ended, [0, null]);
  });

  it('does not touch an output that another run is writing or has not finished', async t => {
    const { cwd, run, write, start } = await bench(t);
    const { child, ended } = start(`${toStdout} -o out.csv`);
    child.stdin.write(good);
    await isBegun(cwd);
    await exits(run(toFile), 75, /\[locked\]/);
    child.kill('SIGKILL');
    await ended;
    await write('out.csv.checkpoint', '{}');
    await exits(run(toFile), 2, /the output has an unfinished run of `rowcast score` \[other_work\]/);
  });
});

const isBegun = (folder: string): Promise<void> =>
  until('the output is begun', async () => (await readdir(folder)).includes('out.csv.partial'));
