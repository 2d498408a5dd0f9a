// Type tests of the library's public API, as a program sees it that has installed the package: npm run test:types

import { Readable, Writable } from 'node:stream';
import {
  type CallError,
  Client,
  type Definition,
  type Difference,
  type FailureKind,
  type ImportedReport,
  importModel,
  LocalScorer,
  type LooseReport,
  loadDefinition,
  type NumbersReport,
  type Plan,
  type Predicted,
  type Prediction,
  type Probabilities,
  type Progress,
  plan,
  type Reject,
  type Retry,
  RowcastError,
  type ScoreOptions,
  type Scorer,
  type Summary,
  score,
  scoreStream,
  startService,
  type Tally,
  type TrainedReport,
  train,
  verify,
} from 'rowcast';
import { describe, expect, test } from 'tstyche';

const client = new Client({
  url: 'http://127.0.0.1:8080',
  key: 'key-of-a-test',
  timeout: '90s',
  concurrency: 4,
});
const needed = { input: 'in.csv', output: 'out.csv', report: 'churn' };

describe('score', () => {
  test('needs an input, an output and a report', () => {
    expect(score).type.toBeCallableWith(needed);
    expect(score).type.not.toBeCallableWith({ input: 'in.csv', report: 'churn' });
    expect(score).type.not.toBeCallableWith({ input: 'in.csv', output: 'out.csv' });
    expect<ReturnType<typeof score>>().type.toBe<Promise<Summary>>();
    expect<Summary['rows']['scored']>().type.toBe<number>();
  });

  test('takes paths, URLs, streams and iterables of bytes', () => {
    const file = new URL('file:///in.csv');
    async function* bytes() {
      yield Uint8Array.of(1);
    }
    expect(score).type.toBeCallableWith({ ...needed, input: file, output: file });
    expect(score).type.toBeCallableWith({ ...needed, input: Readable.from([]), output: new Writable() });
    expect(score).type.toBeCallableWith({ ...needed, input: bytes() });
    expect(score).type.toBeCallableWith({ ...needed, input: [new Uint8Array(1)] });
    expect(score).type.toBeCallableWith({ ...needed, input: Buffer.from('a') });
    expect(score).type.not.toBeCallableWith({ ...needed, input: ['in.csv'] });
    expect(score).type.not.toBeCallableWith({ ...needed, output: Readable.from([]) });
  });

  test('takes the options of the command in camel case, with values as in a definition', () => {
    expect<ScoreOptions['maxOutage']>().type.toBe<string | number | undefined>();
    expect<ScoreOptions['batchBytes']>().type.toBe<string | number | undefined>();
    expect<ScoreOptions['maxRejects']>().type.toBe<string | number | undefined>();
    expect<ScoreOptions['features']>().type.toBe<readonly string[] | undefined>();
    expect<ScoreOptions['keep']>().type.toBe<'all' | 'none' | readonly string[] | undefined>();
    expect<ScoreOptions['ifExists']>().type.toBe<'replace' | 'fail' | 'skip' | undefined>();
    expect<ScoreOptions>().type.not.toHaveProperty('jobs');
    expect(score).type.toBeCallableWith({ ...needed, types: { zip: 'categorical' as const } });
    expect(score).type.not.toBeCallableWith({ ...needed, types: { zip: 'zip' } });
    expect(score).type.not.toBeCallableWith({ ...needed, maxoutage: 5 });
  });

  test('takes typed callbacks, a signal and a scorer', () => {
    expect(score).type.toBeCallableWith({
      ...needed,
      scorer: client,
      signal: new AbortController().signal,
      onProgress: ({ rows, fraction }: Progress) => void [rows.read, fraction],
      onReject: ({ line, code }: Reject) => void [line, code],
      onRetry: ({ error, wait }: Retry) => void [error.code, wait],
    });
    expect(score).type.not.toBeCallableWith({ ...needed, onReject: 'log' });
    expect(score).type.not.toBeCallableWith({ ...needed, scorer: 'local' });
    expect<Progress['etaSeconds']>().type.toBe<number | null>();
  });
});

describe('scoreStream', () => {
  test('has no output, but is one', () => {
    expect(scoreStream).type.toBeCallableWith({ input: 'in.csv', report: 'churn' });
    const scored = scoreStream({ input: 'in.csv', report: 'churn' });
    expect(scored).type.toBeAssignableTo<Readable>();
    expect(scored.summary).type.toBe<Promise<Summary>>();
  });
});

describe('scorers', () => {
  test('are a client, local reports, or an object of the program', () => {
    expect<Client>().type.toBeAssignableTo<Scorer>();
    expect<LocalScorer>().type.toBeAssignableTo<Scorer>();
    expect({
      name: 'mine',
      report: async () => ({ classes: ['no', 'yes'] }),
      score: async ({ personas }: { personas: readonly object[] }) =>
        personas.map(() => ({ probabilities: { no: 0.5, yes: 0.5 } })),
      close: async () => {},
    }).type.toBeAssignableTo<Scorer>();
    const scorer = { name: 'mine', report: async () => ({}), close: async () => {} };
    expect({ ...scorer, score: async () => [{ label: 'yes' }] }).type.toBeAssignableTo<Scorer>();
    expect({ ...scorer, score: async () => [{ values: { mean: 1 } }] }).type.toBeAssignableTo<Scorer>();
    expect({ ...scorer, score: async () => [1] }).type.not.toBeAssignableTo<Scorer>();
  });

  test('predict for objects of plain values', async () => {
    expect(client.batchPersona).type.toBeCallableWith('churn', [{ plan: 'basic', tenure: 3, x: null }]);
    expect(client.batchPersona).type.not.toBeCallableWith('churn', [{ plan: ['basic'] }]);
    expect(client.persona('churn', {})).type.toBe<Promise<Predicted>>();
    expect<Probabilities>().type.toBe<Record<string, number>>();
    expect(client.report('churn')).type.toBe<Promise<LooseReport>>();
    expect(client.batchPredict('churn', Readable.from([]))).type.toBe<Promise<Readable>>();
    expect(client.testingResults('churn')).type.toBe<Promise<Readable>>();
    const local = await LocalScorer.open({ home: '.rowcast', threads: 2 });
    expect(local.batchPersona('churn', [])).type.toBe<Promise<Prediction[]>>();
    expect<{ probabilities: { yes: number } }>().type.toBeAssignableTo<Prediction>();
    expect<{ label: string }>().type.toBeAssignableTo<Predicted>();
    expect<{ value: number }>().type.toBeAssignableTo<Predicted>();
    expect<{ values: { mean: number } }>().type.toBeAssignableTo<Predicted>();
    expect<{ label: number }>().type.not.toBeAssignableTo<Prediction>();
    expect<{ error: { code: string; message: string } }>().type.toBeAssignableTo<Prediction>();
    expect<{ error: { code: string; message: string } }>().type.not.toBeAssignableTo<Predicted>();
    expect(Client).type.toBeConstructableWith({
      url: 'http://127.0.0.1:8080',
      key: 'key-of-a-test',
      protocol: 'mlflow' as const,
      classes: ['no', 'yes'],
    });
    expect(Client).type.not.toBeConstructableWith({ url: 'http://127.0.0.1:8080', protocol: 'soap' });
    expect(Client).type.not.toBeConstructableWith({ key: 'k' });
    expect(Client).type.toBeConstructableWith({
      url: 'https://models.example',
      auth: 'none' as const,
      headers: { 'X-Token': 't' },
      tls: { ca: 'PEM', cert: Buffer.from('PEM'), key: 'PEM' },
      proxy: 'env',
    });
  });
});

describe('errors', () => {
  test('say what a scheduler would do; a failed request has its kind', () => {
    const error = new RowcastError('busy', 'not yet', { severity: 'temporary' });
    expect(error.code).type.toBe<string>();
    expect(error.exitCode).type.toBe<number>();
    expect(error.retryable).type.toBe<boolean>();
    expect(error.hint).type.toBe<string | undefined>();
    expect(error.location.line).type.toBe<number | undefined>();
    expect<CallError>().type.toBeAssignableTo<RowcastError>();
    expect<CallError['kind']>().type.toBe<FailureKind>();
  });
});

describe('verify, plan, train, loadDefinition and startService', () => {
  test('return what they find', () => {
    const verified = verify({ input: 'in.csv', output: 'out.csv', decimals: 3 });
    expect(verified).type.toBe<
      Promise<{ agrees: boolean; difference?: Difference; rows: Tally; sampled?: number }>
    >();
    expect(plan({ input: 'in.csv', report: 'churn', probe: 1, pricePer1000: 0.5 })).type.toBe<
      Promise<Plan>
    >();
    expect(train({ history: 'history.csv', predict: 'churned', maxRejects: '1%' })).type.toBe<
      Promise<TrainedReport | NumbersReport>
    >();
    expect(train).type.toBeCallableWith({ history: ['a.csv', new URL('file:///b.csv')], predict: 'churned' });
    expect(train).type.not.toBeCallableWith({ history: 'history.csv' });
    expect(
      importModel({ model: 'model.txt', report: 'r', categories: { plan: ['a'] }, iterations: 3 }),
    ).type.toBe<Promise<ImportedReport>>();
    expect(importModel).type.not.toBeCallableWith({ model: 'model.txt' });
    expect(importModel).type.not.toBeCallableWith({ model: 'model.txt', report: 'r', ifExists: 'maybe' });
    expect(loadDefinition('pipelines/demo.yaml')).type.toBe<Promise<Definition>>();
    expect<TrainedReport['classes']>().type.toBe<string[]>();
  });

  test('a service is started and closed', async () => {
    const service = await startService({ home: '.rowcast', port: 0, key: 'key-of-a-test' });
    expect(service.url).type.toBe<string>();
    expect(service.close()).type.toBe<Promise<void>>();
  });
});
