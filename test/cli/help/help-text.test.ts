import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArguments } from '../../../src/cli/arguments/parse-arguments.ts';
import { documentedGroups } from '../../../src/cli/command-table/command-row.ts';
import { commands } from '../../../src/cli/command-table/commands.ts';
import { commandHelp, rootHelp } from '../../../src/cli/help/help-text.ts';

const score = commands.find(({ name }) => name === 'score');
assert.ok(score !== undefined);

describe('help', () => {
  it('is at most 80 columns wide', () => {
    const texts = [true, false].flatMap(isShort => [
      rootHelp(isShort),
      ...commands.map(command => commandHelp(command, isShort)),
    ]);
    for (const line of texts.join('\n').split('\n')) assert.ok(line.length <= 80, line);
  });

  it('names every command once', () => {
    for (const { name } of commands)
      assert.equal(rootHelp(true).match(new RegExp(`^ {2}${name}( [A-Z[]| {2,})`, 'gm'))?.length, 1, name);
  });

  it('shows the common options and the examples with -h, and all options in groups with --help', () => {
    const [short, long] = [commandHelp(score, true), commandHelp(score, false)];
    assert.match(short, /^Common options:\n/m);
    assert.match(short, /--output FILE/);
    assert.doesNotMatch(short, /--batch-bytes/);
    for (const [heading, options] of documentedGroups(score)) {
      assert.match(long, new RegExp(`^${heading}:\n`, 'm'));
      for (const name of Object.keys(options))
        assert.match(long, new RegExp(`^ {2,6}(-. ?,? )?.*--${name}\\b`, 'm'));
    }
    for (const text of [short, long])
      assert.match(text, /^Examples:\n {2}# Score a file\n {2}rowcast score /m);
  });

  it('shows the kind of each value', () => {
    const text = commandHelp(score, false);
    for (const syntax of [
      '--limit N ',
      '--max-outage DURATION',
      '--batch-bytes SIZE',
      '--features LIST',
      '--max-rejects N|N%',
      '--if-exists replace|fail|skip',
      '--output FILE',
      '--report, --model ID',
      '--max-rows-per-second X',
    ])
      assert.ok(text.includes(syntax), syntax);
    assert.doesNotMatch(text, /\[string\]|undefined/);
  });

  it('has examples that are valid', async () => {
    for (const { examples } of commands)
      for (const command of Object.values(examples)) {
        const [, line = ''] = /\browcast ([^|>)]+)/.exec(command.replace(/\\\n/g, '')) ?? [];
        const { action } = await readArguments(line.trim().split(/\s+/));
        assert.ok(action === 'run' || line.startsWith('help'), command);
      }
  });
});
