import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Option } from '../../../src/base/options/option.ts';
import { optionsOf } from '../../../src/cli/command-table/command-row.ts';
import { commands } from '../../../src/cli/command-table/commands.ts';

/** Commands that do alike things, so that a person who knows an option of some expects it of all. */
interface Family {
  what: string;
  /** Their names, between commas. */
  commands: string;
  /** An option that this many of them have is expected of each. */
  least: number;
  /** Why commands lack options that are expected: reason → command → options, between spaces. */
  holes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const connection =
  'url api-key-file api-key-env auth auth-host header-env client-cert client-key ca-file proxy allow-http';

const families: readonly Family[] = [
  {
    what: 'score a file',
    commands: 'score, run, plan',
    least: 1,
    holes: {
      'only a forecast has them': {
        score: 'probe show-request json',
        run: 'probe show-request json',
      },
      'a definition is the argument of run': { score: 'trust-definition set dry-run' },
      'a plan is dry': { plan: 'dry-run' },
      'a plan starts no workers, and takes a moment': {
        plan: 'workers queue progress progress-interval',
      },
    },
  },
  {
    what: 'look at runs',
    commands: 'verify, repair, status, abort',
    least: 3,
    holes: {},
  },
  {
    what: 'read what a run has written',
    commands: 'verify, repair',
    least: 1,
    holes: {
      'repair predicts nothing': {
        repair: `${connection} sample report protocol custom home timeout max-outage features exclude-features predict types missing allow-missing classes`,
      },
      'a rejects file is UTF-8 with a header, and its format is seen in it': {
        repair: 'names encoding skip-lines input-format',
      },
      'repair does not read the input': { repair: 'limit' },
      'repair reads the groups of a file that a run has written, whose size it limited': {
        repair: 'max-group-bytes',
      },
      'verify writes nothing': { verify: 'private' },
      'verify accepts rejects': { verify: 'rejects-ok' },
    },
  },
  {
    what: 'read rows',
    commands: 'score, verify, train',
    least: 2,
    holes: {
      'training has no output': {
        train: 'keep rename output-header prefix prediction probabilities decimals threshold classes rejects',
      },
      'training uses all rows': { train: 'limit' },
      'training asks no service, and missing values have no form in it': {
        train: `${connection} protocol custom timeout max-outage missing allow-missing`,
      },
      'verify counts the rejects of the run, which had its own limit': { verify: 'max-rejects' },
      'verify writes nothing': { verify: 'if-exists' },
      'verify prints its result, and reads as fast as a disk': {
        verify: 'progress progress-interval notify-env on-end',
      },
      'a summary has it': { score: 'json' },
    },
  },
  {
    what: 'ask a service',
    commands: 'score, verify, report, testing-results, predict, batch-predict, work, assemble',
    least: 5,
    holes: {
      'run takes a definition, and a plan has what it says': {
        score: 'definition trust-definition',
        work: 'definition trust-definition protocol',
        assemble: 'definition trust-definition protocol',
      },
      'one request may take hours: --idle-timeout is for each part of it': { 'batch-predict': 'timeout' },
    },
  },
  {
    what: 'use the report and the service of a definition',
    commands: 'verify, report, testing-results, predict, batch-predict',
    least: 3,
    holes: {
      'it is the argument': { report: 'report', 'testing-results': 'report' },
      'they read no rows': { report: 'input-format', 'testing-results': 'input-format' },
      'one request may take hours: --idle-timeout is for each part of it': { 'batch-predict': 'timeout' },
    },
  },
  {
    what: 'work on shards',
    commands: 'work, assemble, cancel',
    least: 2,
    holes: {
      'it scores and joins nothing': {
        cancel: `${connection} home timeout max-mismatches max-missing max-unseen part-bytes progress progress-interval notify-env on-end`,
      },
    },
  },
  {
    what: 'read or write objects of a store',
    commands: 'score, run, plan, verify, repair, status, abort, train, work, assemble, cancel',
    least: 11,
    holes: {},
  },
  {
    what: 'print for people',
    commands:
      'plan, check, verify, repair, status, abort, reports, report, protocols, keys, train, predict, testing-results, keys add',
    least: 10,
    holes: {
      'it prints JSON, a CSV, or the key alone': {
        predict: 'json',
        'testing-results': 'json',
        'keys add': 'json',
      },
    },
  },
];

const optionsOfCommand = (name: string) => {
  const command = commands.find(row => row.name === name);
  assert.ok(command !== undefined, name);
  return new Set(Object.keys(optionsOf(command)));
};

/** The options that each command of a family lacks, sorted: `repair --limit`. */
function holesOf({ commands: names, least }: Family): string[] {
  const tables = new Map(names.split(', ').map(name => [name, optionsOfCommand(name)]));
  const expected = new Set(
    [...tables.values()]
      .flatMap(options => [...options])
      .filter((option, _, all) => all.filter(other => other === option).length >= least),
  );
  return [...tables]
    .flatMap(([name, options]) =>
      [...expected].filter(option => !options.has(option)).map(option => `${name} --${option}`),
    )
    .sort();
}

describe('the matrix of options and commands', () => {
  for (const family of families)
    it(`has a reason for each hole among the commands that ${family.what}`, () => {
      const reasoned = Object.values(family.holes).flatMap(holes =>
        Object.entries(holes).flatMap(([command, options]) =>
          options.split(' ').map(option => `${command} --${option}`),
        ),
      );
      assert.deepEqual(reasoned.sort(), holesOf(family));
    });

  it('has -q, the log, help and version on every command', () => {
    for (const { name } of commands)
      for (const option of ['quiet', 'log-format', 'log-level', 'help', 'version'])
        assert.ok(optionsOfCommand(name).has(option), `${name} --${option}`);
  });

  it('has the same kind of value, letter and bounds wherever an option is', () => {
    /** Options that differ in what is asked for, not in what they do. */
    const different: Readonly<Record<string, string>> = {
      report: 'the report that predicts; of keys add those of the key, which are several',
      'max-requests-per-second': 'of serve for each key',
      'max-rows-per-second': 'of serve for each key',
    };
    const first = new Map<string, { command: string; meaning: unknown }>();
    for (const command of commands)
      for (const [name, option] of Object.entries<Option>(optionsOf(command))) {
        if (different[name] !== undefined) continue;
        const { kind, alias, min, max, orNone } = option;
        const meaning = { kind, alias, min, max, orNone };
        const other = first.get(name);
        if (other === undefined) first.set(name, { command: command.name, meaning });
        else assert.deepEqual(meaning, other.meaning, `--${name} of ${command.name} and ${other.command}`);
      }
  });
});
