import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { root } from '../support/root.ts';
import { startStub } from '../support/stub/service.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

// every-command.slow.test.ts runs its commands.
describe('the README', () => {
  it('has fewer than 150 lines, of at most 120 characters', () => {
    const lines = readme.split('\n');
    assert.ok(lines.length < 150, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter(line => line.length > 120),
      [],
    );
  });

  it('shows the bytes that go in, are sent, come back and come out', async t => {
    const [input = '', sent = '', returned = '', output = ''] = ['in', 'sent', 'back', 'out'].map(bytesOf);
    const requests: string[] = [];
    const columns = ['tenure', 'contract'].map(name => ({ name }));
    const stub = await startStub(t, {
      report: { columns, classes: ['no', 'yes'] },
      first(request, response) {
        if (request.url !== '/user/batch-persona') return false;
        request.setEncoding('utf8').on('data', (text: string) => requests.push(text));
        request.on('end', () => response.setHeader('content-type', 'application/json').end(returned));
        return true;
      },
    });
    const cwd = await newFolder(t, { 'in.csv': input });
    await exits(
      rowcast(['score', 'in.csv', '--report', 'churn', '-o', 'out.csv'], {
        cwd,
        env: stub.env,
      }),
      0,
    );
    assert.equal(requests.join(''), sent.trimEnd());
    assert.equal(await readFile(join(cwd, 'out.csv'), 'utf8'), output);
  });
});

/** The indented lines below the one that says what goes in, is sent, comes back or comes out. */
function bytesOf(word: string): string {
  const [, lines = ''] =
    new RegExp(`^what (?:goes|is|comes) ${word}\\b.*\\n((?: {2}.*\\n)+)`, 'm').exec(readme) ?? [];
  return lines.replaceAll(/^ {2}/gm, '');
}
