import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { wordsOf } from '../../support/cli/commands.ts';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { bin, exits } from '../../support/rowcast.ts';

const score = 'score fixtures/telecom-history.csv --report one -o /dev/null/out.csv';
const run = (line: string, env = {}) => rowcast(wordsOf(line), { env });

describe('a command with a queue', () => {
  it('ends with 75 if its server is not there', async () => {
    for (const queue of ['redis://127.0.0.1:1', 'postgres://127.0.0.1:1/db'])
      for (const line of ['work', score])
        await exits(
          run(`${line} --queue ${queue}`),
          75,
          /^rowcast: cannot reach the queue at \S+127\.0\.0\.1:1\S*: .*ECONNREFUSED.*\[queue_unavailable\]/,
        );
  });

  it('that only the environment asks for says so, and how to do without it', async () => {
    const env = { ROWCAST_QUEUE: 'redis://:swordfish@127.0.0.1:1' };
    const { stderr } = await exits(
      run(score, env),
      75,
      /because ROWCAST_QUEUE is set; --queue none does without it\.\n/,
    );
    assert.doesNotMatch(stderr, /swordfish/);
    const without = await run(`${score} --queue none`, env);
    assert.doesNotMatch(without.stderr, /queue/);
  });

  it('in a variable that is no URL of one refuses only commands with a queue', async () => {
    const env = { ROWCAST_QUEUE: 'swordfish' };
    const plain = await run(score, env);
    assert.match(plain.stderr, /ROWCAST_QUEUE: expected redis:.*; the run does without a queue\n/);
    assert.doesNotMatch(plain.stderr, /bad_option|swordfish/);
    for (const line of ['work', `${score} --workers 1`])
      await exits(run(line, env), 2, /ROWCAST_QUEUE: expected redis:.* \[bad_option\]/);
  });

  it('refuses what makes no sense', async () => {
    for (const [line, message] of [
      ['work', /whose shards\? Give the folder DIR, or --queue URL \[usage\]/],
      ['work --queue none', /whose shards\?/],
      ['work --queue redis://127.0.0.1:1 --shard 1', /--shard has no effect with a queue/],
      ['work dir --queue redis://127.0.0.1:1 --shard 1', /--shard has no effect with a queue/],
      ['work dir --stop-when-empty', /--stop-when-empty has no effect on the shards of a folder/],
      ['work --queue http://127.0.0.1:1', /--queue: expected redis:\/\/HOST:PORT or postgres:/],
      [`${score} --queue redis://:pw@127.0.0.1:1`, /the URL has a password/],
    ] as const)
      await exits(run(line), 2, message);
  });

  it('names the packages to install if they are not there', async t => {
    // What npm installs, at a place from which the packages of this folder are not found.
    const folder = await newFolder(t);
    await cp(dirname(bin), join(folder, 'dist/src/bundle'), { recursive: true });
    await cp(join(root, 'package.json'), join(folder, 'package.json'));
    for (const [queue, packages] of [
      ['redis://127.0.0.1:1', 'bullmq ioredis'],
      ['postgres://127.0.0.1:1/db', 'bullmq pg'],
    ] as const) {
      const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>(resolve =>
        execFile(
          process.execPath,
          [join(folder, 'dist/src/bundle/rowcast.js'), 'work', '--queue', queue],
          (error, _, stderr) => resolve({ code: error?.code, stderr }),
        ),
      );
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /a queue needs the package (ioredis|pg), which is not installed \[missing_package\]/,
      );
      assert.ok(stderr.includes(`npm install ${packages} `), stderr);
    }
  });
});
