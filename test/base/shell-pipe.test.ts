import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { it } from 'node:test';
import { pipeOf } from '../../src/base/shell-pipe.ts';
import { newFolder } from '../support/folder.ts';

it('an object of a store, or a file of a web server, is read by the program that prints it', async t => {
  const folder = await newFolder(t);
  const env = { PATH: [folder, process.env.PATH].join(delimiter) };
  // In place of each program, one that prints its own name and its arguments.
  for (const program of ['aws', 'gcloud', 'az', 'curl'])
    await writeFile(join(folder, program), '#!/bin/sh\nprintf "%s\\n" "$(basename "$0")" "$@"\n', {
      mode: 0o755,
    });
  for (const name of ['a.csv', `it's $HOME "x" \`y\` %s&b=1.csv`])
    for (const [url, words] of [
      [`s3://b/d/${name}`, ['aws', 's3', 'cp', `s3://b/d/${name}`, '-']],
      [`gs://b/d/${name}`, ['gcloud', 'storage', 'cat', `gs://b/d/${name}`]],
      [
        `az://c/d/${name}`,
        ['az', 'storage', 'blob', 'download', '--only-show-errors', '-c', 'c', '-n', `d/${name}`],
      ],
      [`http://h/d/${name}`, ['curl', '-fsSL', `http://h/d/${name}`]],
      [`HTTPS://h/d/${name}`, ['curl', '-fsSL', `HTTPS://h/d/${name}`]],
    ] as const) {
      const line = pipeOf(url, ['cat', 'cat']);
      const { stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
      assert.equal(stderr, '', line);
      assert.deepEqual(stdout.trimEnd().split('\n'), words, line);
    }
});
