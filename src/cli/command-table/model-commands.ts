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
import { historyOptions, importOptions, trainOptions } from '../../base/options/train.ts';
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
    examples: {
      'Train a churn report': 'rowcast train history.csv --predict churned --report churn',
      'Train from several files with the same columns':
        "rowcast train 'history/2025-*.csv.gz' --predict churned --report churn",
      'Predict which of five ranges an amount falls into':
        'rowcast train claims.csv.gz --predict amount --bins 5',
    },
    load: () => import('../commands/train.ts'),
  },
  {
    name: 'import',
    group: 'Models',
    describe: 'make a report of a model of LightGBM, XGBoost or CatBoost',
    positionals: [
      { name: 'model', kind: 'path', describe: 'file of the model, or a folder of MLflow', isRequired: true },
    ],
    options: { Report: { ...importOptions, ...homeOption }, Output: jsonOption },
    required: ['report'],
    examples: {
      'Score with a model of LightGBM': 'rowcast import model.txt --report churn --classes no,yes',
      'Only if it predicts as in Python': 'rowcast import model.json --report churn --expect expected.csv',
    },
    load: () => import('../commands/import.ts'),
  },
  {
    name: 'reports',
    group: 'Models',
    describe: 'list the local reports',
    options: { Output: jsonOption, Service: homeOption },
    examples: { 'Which reports are there?': 'rowcast reports' },
    load: () => import('../commands/reports.ts'),
  },
  {
    name: 'reports delete',
    group: 'Models',
    describe: 'delete a local report; running servers notice immediately',
    positionals: [reportId],
    options: { Service: homeOption },
    examples: { 'Delete a report': 'rowcast reports delete churn' },
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
    examples: {
      'Which columns drive the prediction?': 'rowcast report churn',
      'The same for a program': 'rowcast report churn --json',
    },
    load: () => import('../commands/report.ts'),
  },
  {
    name: 'protocols',
    group: 'Models',
    describe: 'list the protocols of model servers with request, response and limits',
    positionals: [{ name: 'name', kind: 'text', describe: 'show only this one, in full' }],
    options: { Output: jsonOption },
    examples: {
      'Which servers can predict?': 'rowcast protocols',
      'What does an MLflow server get?': 'rowcast protocols mlflow',
    },
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
    examples: { 'Save them to a file': 'rowcast testing-results churn -o tested.csv' },
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
    examples: {
      'One persona': 'rowcast predict --report churn tenure=3 contract=rolling',
      'With the report and the service of a definition': 'rowcast predict --definition score.yaml tenure=3',
      'The same as JSON': `echo '{"tenure": 3}' | rowcast predict --report churn`,
      'Each of JSON lines': 'head -3 personas.jsonl | rowcast predict - --report churn',
    },
    load: () => import('../commands/predict.ts'),
  },
  {
    name: 'batch-predict',
    group: 'Models',
    describe: 'have the service score a whole file in one request',
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
    examples: {
      'One request for the whole file': 'rowcast batch-predict personas.csv --report churn -o scored.csv',
      'JSON lines from a pipe': 'zcat in.jsonl.gz | rowcast batch-predict --report churn -o out.jsonl',
    },
    load: () => import('../commands/batch-predict.ts'),
  },
];
