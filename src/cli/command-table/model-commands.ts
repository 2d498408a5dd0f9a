import { definitionOption } from '../../base/options/definition.ts';
import { inputOptions, personaFormatOption, uploadFormatOption } from '../../base/options/input.ts';
import { endOptions, jsonOption, progressOptions } from '../../base/options/observability.ts';
import { historyPositional, inputPositional } from '../../base/options/option.ts';
import { appendedOptions, outputOptions } from '../../base/options/output.ts';
import {
  callOptions,
  connectionOptions,
  homeOption,
  idleTimeoutOption,
  protocolOption,
  reportOption,
} from '../../base/options/service.ts';
import { historyOptions, trainOptions } from '../../base/options/train.ts';
import type { CommandRow, Positional } from './command-row.ts';

const reportId: Positional = { name: 'id', kind: 'text', describe: 'id of the report', isRequired: true };

/** As an argument, or in a definition. */
const definedReportId: Positional = { ...reportId, isRequired: false, defaultText: "the definition's" };

/** Commands that create and query reports. */
export const modelCommands: readonly CommandRow[] = [
  {
    name: 'train',
    group: 'Models',
    describe: 'train a report from labelled rows',
    positionals: [{ name: 'history', ...historyPositional, isRequired: true, isRepeated: true }],
    options: {
      Report: { ...trainOptions, ...homeOption },
      Input: historyOptions,
      Output: jsonOption,
      'Result of the training': endOptions,
      Progress: progressOptions,
    },
    required: ['predict'],
    examples: [
      {
        about: 'Train a churn report',
        command: 'rowcast train history.csv --predict churned --report churn',
      },
      {
        about: 'Train from several files with the same columns',
        command: "rowcast train 'history/2025-*.csv.gz' --predict churned --report churn",
      },
      {
        about: 'Predict which of five ranges an amount falls into',
        command: 'rowcast train claims.csv.gz --predict amount --bins 5',
      },
    ],
    load: () => import('../commands/train.ts'),
  },
  {
    name: 'reports',
    group: 'Models',
    describe: 'list the local reports',
    options: { Output: jsonOption, Service: homeOption },
    examples: [{ about: 'Which reports are there?', command: 'rowcast reports' }],
    load: () => import('../commands/reports.ts'),
  },
  {
    name: 'reports delete',
    group: 'Models',
    describe: 'delete a local report; running servers notice immediately',
    positionals: [reportId],
    options: { Service: homeOption },
    examples: [{ about: 'Delete a report', command: 'rowcast reports delete churn' }],
    load: () => import('../commands/reports-delete.ts'),
  },
  {
    name: 'report',
    group: 'Models',
    describe: "show a report's tech specs, its quality and the impact of its drivers",
    positionals: [definedReportId],
    options: {
      Output: jsonOption,
      Service: { ...definitionOption, ...callOptions },
    },
    examples: [
      { about: 'Which columns drive the prediction?', command: 'rowcast report churn' },
      { about: 'The same for a program', command: 'rowcast report churn --json' },
    ],
    load: () => import('../commands/report.ts'),
  },
  {
    name: 'protocols',
    group: 'Models',
    describe: 'list the protocols of model servers with request, response and limits',
    positionals: [{ name: 'name', kind: 'text', describe: 'show only this one, in full' }],
    options: { Output: jsonOption },
    examples: [
      { about: 'Which servers can predict?', command: 'rowcast protocols' },
      { about: 'What does an MLflow server get?', command: 'rowcast protocols mlflow' },
    ],
    load: () => import('../commands/protocols.ts'),
  },
  {
    name: 'testing-results',
    group: 'Models',
    describe: 'write the rows the model was tested on, with its predictions, as CSV',
    positionals: [definedReportId],
    options: {
      Output: { output: { ...outputOptions.output, describe: 'file for the CSV; - is stdout' } },
      Service: { ...definitionOption, ...callOptions },
    },
    examples: [{ about: 'Save them to a file', command: 'rowcast testing-results churn -o tested.csv' }],
    load: () => import('../commands/testing-results.ts'),
  },
  {
    name: 'predict',
    group: 'Models',
    describe: 'score one persona, given as NAME=VALUE arguments, or as JSON or JSON lines on stdin',
    positionals: [
      {
        name: 'features',
        value: 'NAME=VALUE',
        kind: 'text',
        describe: 'one for each column that is known; none, or -, reads stdin',
        isRepeated: true,
      },
    ],
    options: {
      Service: { ...definitionOption, ...reportOption, ...callOptions },
      Input: personaFormatOption,
      'Other protocols': { classes: appendedOptions.classes, types: inputOptions.types },
    },
    examples: [
      { about: 'One persona', command: 'rowcast predict --report churn tenure=3 contract=rolling' },
      {
        about: 'With the report and the service of a definition',
        command: 'rowcast predict --definition score.yaml tenure=3',
      },
      { about: 'The same as JSON', command: `echo '{"tenure": 3}' | rowcast predict --report churn` },
      { about: 'Each of JSON lines', command: 'head -3 personas.jsonl | rowcast predict - --report churn' },
    ],
    load: () => import('../commands/predict.ts'),
  },
  {
    name: 'batch-predict',
    group: 'Models',
    describe: 'have the service score a whole CSV or JSON lines in one request',
    positionals: [{ name: 'input', ...inputPositional }],
    options: {
      Input: uploadFormatOption,
      Output: { output: outputOptions.output },
      Service: {
        ...definitionOption,
        ...reportOption,
        ...protocolOption,
        ...connectionOptions,
        ...homeOption,
        ...idleTimeoutOption,
      },
      Progress: progressOptions,
    },
    examples: [
      {
        about: 'One request for the whole file',
        command: 'rowcast batch-predict personas.csv --report churn -o scored.csv',
      },
      {
        about: 'JSON lines from a pipe',
        command: 'zcat in.jsonl.gz | rowcast batch-predict --report churn -o out.jsonl',
      },
    ],
    load: () => import('../commands/batch-predict.ts'),
  },
];
