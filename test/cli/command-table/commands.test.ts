import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Option } from '../../../src/base/options/option.ts';
import { optionsOf } from '../../../src/cli/command-table/command-row.ts';
import { commands } from '../../../src/cli/command-table/commands.ts';

describe('the table of commands', () => {
  it('is consistent about which options take a value, since options are parsed before the command is known', () => {
    const kinds = new Map<string, boolean>();
    for (const command of commands)
      for (const [name, option] of Object.entries<Option>(optionsOf(command))) {
        const isBoolean = option.kind === 'boolean';
        assert.equal(kinds.get(name) ?? isBoolean, isBoolean, name);
        kinds.set(name, isBoolean);
      }
  });

  it('uses the options that it requires', () => {
    for (const command of commands) {
      const options = optionsOf(command);
      for (const name of command.required ?? []) assert.ok(options[name], name);
    }
  });

  it('can load every command except those that document the others', async () => {
    const loaded = await Promise.all(
      commands.filter(({ load }) => load !== undefined).map(async ({ load }) => typeof (await load?.())?.run),
    );
    assert.deepEqual([...new Set(loaded)], ['function']);
    const others = commands.filter(({ load }) => load === undefined).map(({ name }) => name);
    assert.deepEqual(others, ['completion', 'help']);
  });
});
