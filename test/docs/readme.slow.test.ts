import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { bin } from '../support/rowcast.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Block {
  /** `sh`, `yaml` */
  language: string;
  text: string;
}

/** Blocks marked `sh install` change the machine and are skipped. */
const blocks: readonly Block[] = [...readme.matchAll(/^```(sh|yaml)\n(.*?)^```$/gms)].map(
  ([, language = '', text = '']) => ({ language, text }),
);

describe('the README', () => {
  it('has fewer than 150 lines, of at most 120 characters', () => {
    const lines = readme.split('\n');
    assert.ok(lines.length < 150, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter(line => line.length > 120),
      [],
    );
  });

  it('shows commands that work, in the order in which they are shown', { timeout: 120_000 }, async t => {
    const folder = await folderOfReader(t);
    const port = await freePort();
    assert.ok(blocks.length >= 5, 'the blocks of the README are found');
    for (const { language, text } of blocks) {
      if (language === 'yaml') {
        const [, name = ''] = /^# (\S+)\n/.exec(text) ?? [];
        assert.notEqual(name, '', 'a definition begins with the name of its file');
        await writeFile(join(folder, name), text);
      } else {
        const { code, output } = await runScript(t, text.replaceAll('8080', String(port)), folder);
        assert.equal(code, 0, `${text}\n${output}`);
      }
    }
    const scored = await readFile(join(folder, 'scored.csv'), 'utf8');
    assert.match(scored, /^customer,.*,probability_no,probability_yes/);
  });
});

/** What the README's reader has: the command, the fixtures, and a file of their own, plain and gzip. */
async function folderOfReader(t: TestContext): Promise<string> {
  const folder = await newFolder(t);
  const command = join(folder, 'bin/rowcast');
  await mkdir(join(folder, 'bin'));
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
  await cp(join(root, 'fixtures'), join(folder, 'fixtures'), { recursive: true });
  const personas = await readFile(join(root, 'fixtures/telecom-personas.csv'));
  await writeFile(join(folder, 'personas.csv'), personas);
  await writeFile(join(folder, 'personas.csv.gz'), gzipSync(personas));
  return folder;
}

/** Runs a block as one script that ends at the first command that fails. */
async function runScript(
  t: TestContext,
  script: string,
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  const path = [join(cwd, 'bin'), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['-c', `set -e\nexec 2>&1\n${script}`], {
    cwd,
    env: { PATH: path },
    // A process group of its own, so that a service left behind by a failed block ends with the test.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All its processes have ended.
    }
  });
  const [output, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  return { code, output };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
