import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../folder.ts';
import { type Finished, rowcast } from '../rowcast.ts';
import { connect } from '../stub/connect.ts';

/** Each line of stderr as the JSON that it must be. */
const linesOf = ({ stderr }: Finished): Record<string, unknown>[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

describe('with --log-format json, every line on stderr is JSON,', { concurrency: 2 }, () => {
  it('the last error included, also of a command line that is wrong', async t => {
    const folder = await newFolder(t);
    const wrong = await rowcast(['score', '--reprot', 'r', '--log-format=json']);
    assert.equal(wrong.code, 2);
    assert.deepEqual(
      linesOf(wrong).map(({ code, exit_code, msg }) => [code, exit_code, msg]),
      [['usage', 2, 'unknown argument: reprot']],
    );
    const file = join(folder, 'in.csv');
    await writeFile(file, 'a,b\n1,2\n1,"2\n');
    const { stub } = await connect(t);
    const stopped = await rowcast(['score', file, '--report', 'r', '--log-format', 'json'], {
      env: { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key },
    });
    assert.equal(stopped.code, 3);
    const last = linesOf(stopped).at(-1);
    assert.equal(last?.level, 50);
    assert.deepEqual(
      [last?.code, last?.exit_code, last?.file, last?.line, last?.row],
      ['unclosed_quote', 3, file, 3, 2],
    );
    assert.match(String(last?.hint), /--quote none \(with --restart/);
  });

  it('also of a failure and a warning that nobody foresaw', async () => {
    // Both come once the log is open.
    const preload = `process.on('newListener', name => {
      if (name !== 'warning') return;
      process.emitWarning('odd');
      setImmediate(() => { throw new Error('boom'); });
    })`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
    const finished = await rowcast(['serve', '--port', '0', '--log-format', 'json'], { env });
    assert.equal(finished.code, 3, finished.stderr);
    const [warning, failure] = linesOf(finished);
    assert.deepEqual([warning?.level, warning?.msg], [40, 'odd']);
    assert.deepEqual([failure?.level, failure?.code, failure?.exit_code], [50, 'unexpected', 3]);
    assert.match(String(failure?.msg), /^unexpected failure, please report it: Error: boom/);
  });

  it('and a reject has its line, row and code as members', async t => {
    const { stub } = await connect(t);
    const finished = await rowcast(['score', '--report', 'r', '--log-format', 'json'], {
      stdin: 'a,b\n1,2\n1\n3,4\n',
      env: { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key },
    });
    assert.equal(finished.code, 1);
    const rejects = linesOf(finished).filter(({ msg }) => /rejected: /.test(String(msg)));
    assert.deepEqual(
      rejects.map(({ row, line, code }) => [row, line, code]),
      [[2, 3, 'too_few_fields']],
    );
  });

  it('and a quoted field that may have swallowed rows is reported once, with its line; the run goes on', async t => {
    const { stub } = await connect(t);
    const field = `"${'3,c\n'.repeat(120)}"`;
    const finished = await rowcast(['score', '--report', 'r', '--log-format', 'json'], {
      stdin: `a,b\n1,2\n2,${field}\n3,${field}\n`,
      env: { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key },
    });
    assert.equal(finished.code, 0);
    const [warning, ...others] = linesOf(finished).filter(({ level }) => level === 40);
    assert.deepEqual(others, []);
    assert.equal(warning?.code, 'long_field');
    assert.deepEqual([warning?.file, warning?.line, warning?.row], ['stdin', 3, 2]);
    assert.deepEqual([warning?.field_lines, warning?.field_bytes], [121, 480]);
    assert.match(
      String(warning?.msg),
      /^stdin:3: the quoted field that opens on this line is 121 lines and 480 bytes long; .* --quote none/,
    );
  });
});
