import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandEvents, serviceEvents } from '../../../src/base/reference/events.ts';
import { root } from '../../support/root.ts';

// The compiler refuses a line whose event is not documented (src/base/reference/events.ts).
describe('the tables of log events', () => {
  const documented = [...Object.keys(commandEvents), ...Object.keys(serviceEvents)];

  it('contain no event that is never logged', () => {
    const text = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.startsWith(join('base', 'reference')))
      .map(file => readFileSync(join(root, 'src', file), 'utf8'))
      .join('\n');
    assert.deepEqual(
      documented.filter(event => !text.includes(`'${event}'`)),
      [],
    );
  });

  it('contain each event once', () => {
    assert.deepEqual(documented, [...new Set(documented)]);
  });
});
