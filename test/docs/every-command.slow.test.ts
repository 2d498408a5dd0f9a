import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startService } from '../../src/library/start-service.ts';
import { train } from '../../src/library/train.ts';
import { newFolder, sharedFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { freePort } from '../support/listen.ts';
import { root } from '../support/root.ts';
import { fixture } from '../support/web/uploaded.ts';
import { type Block, blocksOf } from './commands-of.ts';
import { filesOfReader, installClone, installTarball } from './installations.ts';

/** Pages whose commands another test runs, or that have none to type. */
const ELSEWHERE: readonly string[] = [
  'command-reference.md', // made from the help; test/generated.test.ts compares it
  'exit-codes-and-errors.md', // made from the tables of error codes
  'library.md', // library.slow.test.ts
];
/** Pages of whose sessions worked-examples.slow.test.ts compares what they print. */
const COMPARED = ['many-files.md', 'evaluate.md', 'imported-models.md'].map(name => join('docs', name));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'))]
  .filter(name => !ELSEWHERE.includes(name))
  .map(name => (name === 'README.md' ? name : join('docs', name)));

/** The pages of a user who has just installed the packed files; of these, a clone's user reads the README. */
const FIRST_PAGES = ['README.md', 'docs/first-run.md', 'docs/running-the-service.md'];
const clonePages = pages.filter(page => page === 'README.md' || !FIRST_PAGES.includes(page));

const KEY = 'a-key-of-the-hosted-service-of-the-test';

const home = join(await sharedFolder(), 'home');
/** The summary of an earlier day, which pages compare with. */
const summary = join(home, '../monday.json');

const history = `${home}.csv`;
await writeFile(history, await fixture('telecom-history.csv', 1200));
for (const report of ['churn', '65f1']) await train({ history, predict: 'churned', report, home });
const scoring = `score fixtures/telecom-personas.csv --report churn -o ${home}.scored.csv --home ${home}`;
await exits(rowcast([...scoring.split(' '), '--summary', summary]), 0);
const hosted = await startService({ home, key: KEY, port: 0 });
after(() => hosted.close());

for (const [what, install, own] of [
  ['a clone', installClone, clonePages],
  ['the packed files', installTarball, FIRST_PAGES],
] as const)
  describe(`every command of README and docs, with the installation of ${what}`, { concurrency: 2 }, () => {
    let bin: string;
    before(async () => {
      bin = await install(await sharedFolder());
    });

    it('can be executed, because rowcast is installed', async () => {
      const { stdout } = await promisify(execFile)(join(bin, 'rowcast'), ['--version']);
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    });

    for (const page of own)
      it(`can be executed on ${page}`, { timeout: 300_000 }, async t => {
        const folder = await newFolder(t);
        await filesOfReader(folder);
        await cp(summary, join(folder, 'monday.json'));
        const port = await freePort();
        // Pages that do not train continue the first run.
        const blocks = blocksOf(page).filter(({ kind }) => kind !== 'session' || !COMPARED.includes(page));
        if (!/rowcast train/.test(JSON.stringify(blocks)))
          await cp(home, join(folder, '.rowcast'), { recursive: true });
        const script = [];
        for (const [index, block] of blocks.entries())
          if (block.kind === 'file')
            script.push(`cat > ${block.name} <<'END OF FILE'\n${block.text}END OF FILE`);
          else script.push(scriptOf(block, index));
        const text = script
          .join('\n')
          .replaceAll('8080', String(port))
          .replaceAll('https://predictions.example.com', hosted.url)
          .replaceAll('ROWCAST_API_KEY=…', `ROWCAST_API_KEY=${KEY}`)
          .replaceAll(/\/(data|var\/lib\/node_exporter)\//g, 'data/');
        const said = await bash(text, folder, bin);
        assert.match(said, /^@@ done$/m, said.slice(-3000));
      });
  });

/** A script that ends at the first command that fails, unless the page shows that it fails. */
function scriptOf(block: Exclude<Block, { kind: 'file' }>, index: number): string {
  if (block.kind === 'script') return `echo '@@ block ${index}'\nset -e\n${block.text}`;
  return block.commands
    .map(({ command, printed }) => {
      const [, code] = /\[([a-z_]+)\]$/m.exec(printed) ?? [];
      const isRefused = code !== undefined;
      const check = isRefused ? `grep -q '\\[${code}\\]' said` : 'case $code in 0|1|3);; *) false;; esac';
      return `echo ${JSON.stringify('@@ session')} ${index}\nset +e\n{ ${command}\n} > said 2>&1\ncode=$?\ncat said\n${check} || exit 9`;
    })
    .join('\n');
}

/** What a script prints. Everything that it has started ends with the test. */
async function bash(script: string, cwd: string, bin: string): Promise<string> {
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  // curl fails and waits as a reader does, who types the next command when the service has started.
  await writeFile(
    join(cwd, '.curlrc'),
    'fail\nsilent\nshow-error\nretry = 20\nretry-delay = 1\nretry-connrefused\n',
  );
  // Not a pipe: a service in the background makes it non-blocking, also for curl, which then fails when it is full.
  const printed = join(cwd, '.printed');
  const text = `exec > ${printed} 2>&1\n${script}\nprintf '\\n@@ done\\n'\n`;
  const child = spawn('bash', ['--norc', '-c', text], {
    cwd,
    env: { PATH: path, HOME: cwd, TMPDIR: cwd },
    // A process group of its own, so that a service left behind ends with the test.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All its processes have ended.
  }
  return readFile(printed, 'utf8');
}
