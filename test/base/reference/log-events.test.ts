import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandEvents } from '../../../src/base/reference/command-events.ts';
import { serviceEvents } from '../../../src/base/reference/service-events.ts';
import { root } from '../../support/root.ts';

const documented = [...Object.keys(commandEvents), ...Object.keys(serviceEvents)];
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.startsWith('log-events'))
  .map(file => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

describe('the table of log events', () => {
  it('has every event that is logged, and no other', () => {
    const logged = sources.flatMap(({ text }) => [
      ...[...text.matchAll(/\bevent: '(\w+)'/g)].map(([, event = '']) => event),
      ...[...text.matchAll(/new EventLog<\w+>\(log, '(\w+)'/g)].map(([, event = '']) => event),
    ]);
    assert.deepEqual([...new Set(logged)].toSorted(), documented.toSorted());
  });

  it('applies to every line, because each names its event', () => {
    const unnamed = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b#?log(?:\??\.(?:info|warn|error|debug)|\[.*\])(?:<object>)?\(\s*([\s\S]{0,30})/g)]
        .filter(([, given = '']) => !/^\{\s*event: |^fields/.test(given))
        .map(([call]) => `${call} in ${file}`),
    );
    assert.deepEqual(unnamed, []);
  });
});
