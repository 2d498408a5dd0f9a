import { definitionOption, definitionOptions, dryRunOption } from '../../base/options/definition.ts';
import { jsonOption, progressOptions, statusOptions } from '../../base/options/observability.ts';
import { inputsPositional } from '../../base/options/option.ts';
import { repairOptions } from '../../base/options/repair.ts';
import { runGroups } from '../../base/options/score.ts';
import { planOptions, queueOption, shardOptions, workersOption } from '../../base/options/shards.ts';
import { storeAccess } from '../../base/options/store.ts';
import { sampleOptions, verifyOptions } from '../../base/options/verify.ts';
import type { CommandRow } from './command-row.ts';
import { evaluateCommand } from './evaluate/evaluate-command.ts';

/** Commands that score files and check the results. */
export const scoreCommands: readonly CommandRow[] = [
  {
    name: 'score',
    group: 'Score',
    describe: 'score CSV, JSON lines or Parquet: append predicted probabilities to every row',
    positionals: [{ name: 'input', ...inputsPositional, isRepeated: true }],
    options: {
      ...runGroups,
      'Scale out': { ...workersOption, ...queueOption, ...shardOptions },
      Progress: progressOptions,
    },
    examples: {
      'Score a file': 'rowcast score personas.csv --report churn -o scored.csv',
      'Score a folder, every night only what is new or has changed':
        "rowcast score 'in/**/*.csv.gz' -o 'scored/{name}.csv' --report churn",
      'Score a stream': 'zcat personas.csv.gz | rowcast score --report churn | head',
      'Let a hosted service predict, and stop at 1 % of rejected rows': `rowcast score personas.csv -o scored.csv --report churn --max-rejects 1% \\
  --url https://predictions.example.com`,
    },
    load: () => import('../commands/score.ts'),
  },
  {
    name: 'run',
    group: 'Score',
    describe: 'run definition files; flags override them',
    positionals: [
      {
        name: 'definition',
        kind: 'path',
        describe: 'YAML definition (examples in pipelines/); - is stdin',
        isRequired: true,
        isRepeated: true,
      },
    ],
    options: {
      Definition: { ...definitionOptions, ...dryRunOption },
      ...runGroups,
      'Scale out': { ...workersOption, ...queueOption, ...shardOptions },
      Progress: progressOptions,
    },
    examples: {
      'Run a definition': 'rowcast run nightly.yaml',
      'Try it with the first 100 rows': 'rowcast run nightly.yaml --limit 100 -o sample.csv',
    },
    load: () => import('../commands/run.ts'),
  },
  {
    name: 'plan',
    group: 'Score',
    describe: 'show what score or run would do; write nothing but --shards',
    positionals: [
      {
        name: 'input',
        ...inputsPositional,
        describe: `${inputsPositional.describe}; or definitions (.yaml, .yml)`,
        isRepeated: true,
      },
    ],
    options: {
      Plan: { ...planOptions, ...jsonOption },
      Definition: definitionOptions,
      'Scale out': shardOptions,
      ...runGroups,
    },
    examples: {
      'Do the columns match, and how many rows and requests are there?':
        'rowcast plan personas.csv --report churn',
      'How long would it take, and what would it cost?':
        'rowcast plan personas.csv --report churn --probe 3 --price-per-1000 0.05',
      'What would a definition do?': 'rowcast plan nightly.yaml',
    },
    load: () => import('../commands/plan.ts'),
  },
  {
    name: 'check',
    group: 'Score',
    describe: 'check definition files, without network and data',
    positionals: [
      {
        name: 'definition',
        kind: 'path',
        describe: 'YAML definition; - is stdin',
        isRequired: true,
        isRepeated: true,
      },
    ],
    options: {
      Definition: definitionOptions,
      Output: jsonOption,
    },
    examples: { 'Check all definitions before a release': 'rowcast check pipelines/*.yaml' },
    load: () => import('../commands/check.ts'),
  },
  {
    name: 'verify',
    group: 'Score',
    describe: 'verify that outputs match their inputs',
    positionals: [
      {
        name: 'input',
        kind: 'path',
        describe: 'what was scored, as score takes it; or, alone, a folder of outputs',
        defaultText: "the definition's",
        isRepeated: true,
      },
      {
        name: 'output',
        kind: 'path',
        describe: "scored file; - is stdin; for several inputs the pattern of -o: 'scored/{name}.csv'",
        defaultText: "the definition's",
      },
    ],
    options: {
      Input: { ...definitionOption, ...verifyOptions },
      Sample: sampleOptions,
      Output: jsonOption,
    },
    examples: {
      'Check a finished run': 'rowcast verify personas.csv scored.csv',
      'Check what a folder became': "rowcast verify 'in/**/*.csv.gz' 'scored/{name}.csv'",
      'Check what a definition has written': 'rowcast verify --definition nightly.yaml',
      'Predict 1,000 of its rows again':
        'rowcast verify personas.csv scored.csv --sample 1000 --report churn',
    },
    load: () => import('../commands/verify.ts'),
  },
  evaluateCommand,
  {
    name: 'repair',
    group: 'Score',
    describe: 'put corrected and scored rejects back into their places',
    positionals: [
      {
        name: 'output',
        kind: 'path',
        describe: 'outputs with rejected rows, and quoted patterns; or, alone, a folder of them',
        defaultText: "the definition's",
        isRepeated: true,
      },
      {
        name: 'corrected',
        kind: 'path',
        describe:
          "its rejects file, corrected and scored; - is stdin; for several outputs a pattern: 'fixed/{name}.csv'",
        defaultText: 'OUTPUT.corrected',
      },
    ],
    options: {
      Files: { ...definitionOption, ...repairOptions },
      Output: jsonOption,
    },
    examples: {
      'Score the rejects after correcting them':
        'rowcast score scored.csv.rejects --report churn -o corrected.csv',
      'Put them back': 'rowcast repair scored.csv corrected.csv',
      'Those of a folder, after scoring each to OUTPUT.corrected': 'rowcast repair --definition nightly.yaml',
    },
    load: () => import('../commands/repair.ts'),
  },
  {
    name: 'status',
    group: 'Score',
    describe: 'show whether a run is running, stopped or finished, how fast, and how long it takes',
    positionals: [
      {
        name: 'output',
        kind: 'path',
        describe:
          "outputs, folders of outputs or of shards, and quoted patterns as in -o: 'scored/{name}.csv'",
        defaultText: "the definition's",
        isRepeated: true,
      },
    ],
    options: { Runs: definitionOption, Output: statusOptions },
    examples: {
      'How far is it?': 'rowcast status scored.csv',
      'Is everything scored that a definition is to score?': 'rowcast status --definition nightly.yaml',
      'Wait until all runs of a folder have ended': 'rowcast status scored/ --watch',
    },
    load: () => import('../commands/status.ts'),
  },
  {
    name: 'abort',
    group: 'Score',
    describe: 'discard an unfinished run; refused while it is running',
    positionals: [
      {
        name: 'output',
        kind: 'path',
        describe: 'outputs, folders of outputs or of shards, and quoted patterns',
        defaultText: "the definition's",
        isRepeated: true,
      },
    ],
    options: {
      Runs: { ...definitionOption, ...storeAccess },
      Output: jsonOption,
    },
    examples: {
      'Give up an interrupted run': 'rowcast abort scored.csv',
      'Give up all unfinished runs of a folder': 'rowcast abort scored/',
      'Give up a sharded run': 'rowcast abort /shared/scored.csv.shards',
    },
    load: () => import('../commands/abort.ts'),
  },
];
