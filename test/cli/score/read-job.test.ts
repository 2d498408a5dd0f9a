import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';

/** Gives a program a terminal; that of util-linux takes a command. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe('Parquet without a file to write it to', { skip: !hasTerminal && 'script is not installed' }, () => {
  it('is not written to a terminal', async t => {
    const cwd = await newFolder(t, { 'in.csv': 'a\n1\n' });
    const command = `${process.execPath} ${join(root, 'dist/src/cli/main.js')}`;
    for (const args of ['in.csv --output-format parquet', 'in.parquet']) {
      const line = `${command} score ${args} --report r`;
      const { stdout } = await promisify(execFile)(
        'script',
        ['-qec', `${line}; echo "exit $?"`, '/dev/null'],
        { cwd },
      );
      assert.match(stdout, /--output: Parquet is not written to a terminal \[bad_option\][\s\S]*exit 2/);
    }
  });
});
