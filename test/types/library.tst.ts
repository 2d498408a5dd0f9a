// Type tests of the library's public API, as a program sees it that has installed the package: npm run test:types

import type {
  Accounts,
  FailureKind,
  LocalScorer,
  Prediction,
  Probabilities,
  Report,
  RunResult,
  ScoreOptions,
} from 'rowcast';
import {
  type CallError,
  Client,
  type Interrupted,
  loadDefinition,
  type RowcastError,
  readBaseUrl,
  score,
  scoreDefaults,
  startService,
  train,
} from 'rowcast';
import { describe, expect, test } from 'tstyche';

const client = new Client({ url: readBaseUrl('http://127.0.0.1:8080', false), key: 'k', name: 'local' });
const needed = { input: 'in.csv', output: 'out.csv', report: 'churn' };

describe('score', () => {
  test('takes the defaults with an input, an output and a report', () => {
    expect(score).type.toBeCallableWith({ ...scoreDefaults, ...needed }, client);
    expect(score).type.not.toBeCallableWith({ ...scoreDefaults, input: 'in.csv' }, client);
    expect(score).type.not.toBeCallableWith({ ...scoreDefaults, ...needed });
  });

  test('takes the callbacks of an observer and a signal', () => {
    const observer = {
      onReject: ({ code }: { code: string }) => void code,
      stop: new AbortController().signal,
    };
    expect(score).type.toBeCallableWith({ ...scoreDefaults, ...needed }, client, observer);
    expect(score).type.not.toBeCallableWith({ ...scoreDefaults, ...needed }, client, { onReject: 'log' });
  });

  test('returns the accounts of the run, or nothing if it was skipped', () => {
    expect<ReturnType<typeof score>>().type.toBe<Promise<RunResult | undefined>>();
    expect<RunResult['accounts']>().type.toBe<Accounts>();
    expect<Accounts['scored']>().type.toBe<number>();
  });
});

describe('options', () => {
  test('have the types of their table', () => {
    expect<ScoreOptions['input']>().type.toBe<string>();
    expect<ScoreOptions['ifExists']>().type.toBe<'replace' | 'fail' | 'skip' | 'skip-unchanged'>();
    expect<ScoreOptions['restart']>().type.toBe<boolean>();
    expect<ScoreOptions['batchRows']>().type.toBe<number | undefined>();
    expect<ScoreOptions['limit']>().type.toBe<number | undefined>();
    expect<ScoreOptions['features']>().type.toBe<readonly string[] | undefined>();
  });

  test('are checked by the compiler', () => {
    expect<{ ifExists: 'overwrite' }>().type.not.toBeAssignableTo<Pick<ScoreOptions, 'ifExists'>>();
    expect<{ batchRows: string }>().type.not.toBeAssignableTo<Pick<ScoreOptions, 'batchRows'>>();
  });
});

describe('errors', () => {
  test('have a code, which a call narrows to its kind of failure', () => {
    expect<RowcastError['code']>().type.toBe<string>();
    expect<CallError>().type.toBeAssignableTo<RowcastError>();
    expect<CallError['kind']>().type.toBe<FailureKind>();
    expect<Interrupted>().type.toBeAssignableTo<Error>();
  });
});

describe('personas', () => {
  test('are objects of plain values, and get probabilities or an error each', () => {
    expect<LocalScorer['batchPersona']>().type.toBeCallableWith('churn', [
      { plan: 'basic', tenure: 3, x: null },
    ]);
    expect<LocalScorer['batchPersona']>().type.not.toBeCallableWith('churn', [{ plan: ['basic'] }]);
    expect<ReturnType<LocalScorer['batchPersona']>>().type.toBe<Promise<Prediction[]>>();
    expect<{ probabilities: { yes: number } }>().type.toBeAssignableTo<Prediction>();
  });
});

describe('reports and services', () => {
  test('a training needs a history, a column and a data directory', () => {
    expect(train).type.toBeCallableWith({ historyFile: 'history.csv', predict: 'churned', home: '.rowcast' });
    expect(train).type.not.toBeCallableWith({ historyFile: 'history.csv' });
    expect<ReturnType<typeof train>>().type.toBe<Promise<Report>>();
    expect<Report['classes']>().type.toBe<string[]>();
  });

  test('a service is started and closed', async () => {
    const service = await startService({ home: '.rowcast', host: '127.0.0.1', port: 0, key: 'k' });
    expect(service.url).type.toBe<string>();
    expect(service.close).type.toBeCallableWith(1000);
  });

  test('probabilities are numbers by class', () => {
    expect<Probabilities>().type.toBe<Record<string, number>>();
  });

  test('a definition is loaded from a file', () => {
    expect(loadDefinition).type.toBeCallableWith('pipelines/demo.yaml');
  });
});
