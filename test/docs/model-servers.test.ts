import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { protocolNames } from '../../src/base/contract/protocol-names.ts';
import { defaultAuth } from '../../src/client/protocols/described/descriptions.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { root } from '../support/root.ts';

const page = readFileSync(join(root, 'docs/model-servers.md'), 'utf8');
const sections = [...page.matchAll(/^### (.+)\n+```yaml\n([\s\S]*?)```/gm)];

/** The cells of the table with this heading. */
function rowsBelow(heading: string): string[][] {
  const [table = ''] = page.slice(page.indexOf(heading)).split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .map(row => row.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')));
}

describe('the page about model servers', () => {
  const [, ...servers] = rowsBelow('| server | protocol |');

  it('names each protocol in its table', () => {
    const named = rowsBelow('| server | protocol |').flatMap(([, protocols = '']) =>
      [...protocols.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    assert.deepEqual([...new Set(named)].sort(), [...protocolNames].sort());
  });

  it('says how each protocol sends its key by default', () => {
    const [, bearer = '', none = ''] =
      /a bearer token for (.+), none for (.+)\.$/m.exec(page.replaceAll('\n  ', ' ')) ?? [];
    for (const name of protocolNames) {
      const auth = defaultAuth(name);
      assert.equal(bearer.includes(`\`${name}\``), auth === 'bearer', name);
      assert.equal(none.includes(`\`${name}\``), auth === 'none', name);
    }
  });

  it('has a definition for each server of its table', () => {
    const anchors = servers.flatMap(([server = '']) =>
      [...server.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor),
    );
    const defined = sections.map(([, heading = '']) => heading.toLowerCase().replaceAll(/[^\w]+/g, '-'));
    assert.deepEqual(
      anchors.filter(anchor => anchor !== 'any-other-server' && !defined.includes(String(anchor))),
      [],
    );
  });

  it('says of each server where it differs', () => {
    const differing = rowsBelow('| server | types |').flatMap(([server = '']) => server.split(', '));
    assert.deepEqual(
      servers.map(([server = '']) => server).filter(server => !differing.some(name => server.includes(name))),
      [],
    );
  });

  for (const [, heading = '', definition = ''] of sections)
    it(`has a definition that is valid for ${heading}`, async t => {
      const keys = { ROWCAST_MODELS_KEY: 'k', ROWCAST_DATAROBOT_TOKEN: 'k', ROWCAST_DATAROBOT_KEY: 'k' };
      const files = '\nscore:\n  input: customers.csv\n  output: scored.csv\n';
      const folder = await newFolder(t, {
        'score.yaml': definition.replace('\nscore:\n', files),
        'customers.csv': 'customer,tenure\nC-1,3\n',
      });
      const { code, stderr, stdout } = await rowcast(['check', 'score.yaml', '--trust-definition'], {
        cwd: folder,
        env: keys,
      });
      assert.equal(code, 0, stderr + stdout);
    });
});
