/**
 * The public API of the library, for programs that score without the command line.
 *
 *     const client = new Client({ url: readBaseUrl('https://predictions.example.com', false), key, name: 'hosted' });
 *     const scored = await score({ ...scoreDefaults, input: 'personas.csv', output: 'scored.csv', report: 'churn' }, client);
 *
 * With a report of this machine, `await LocalScorer.open({ home })` takes the place of the client.
 */

export { readBaseUrl } from './client/base-url.ts';
export { CallError } from './client/call-error.ts';
export { Client } from './client/client.ts';
export type { ClientOptions } from './client/client-options.ts';
export type { FailureKind } from './client/failure-rule.ts';
export type { ReceivedPredictions as Predictions } from './client/response/parse-predictions.ts';
export { loadDefinition } from './config/definition.ts';
export { scoreDefaults } from './config/score-defaults.ts';
export type { Features, LooseReport, Probabilities, Report } from './contract/schemas.ts';
export { contractWire, type Wire } from './contract/wire-names.ts';
export { RowcastError } from './errors.ts';
export type { Reject } from './formats/csv/reject-records.ts';
export { LocalScorer, type LocalScorerOptions } from './local/local-scorer.ts';
export type { Prediction } from './local/predict-personas.ts';
export type { Accounts } from './runs/accounts.ts';
export type { ScoreOptions } from './runs/options.ts';
export type { RunObserver } from './scoring/observer.ts';
export { type RunResult, score } from './scoring/score.ts';
export type { Scorer } from './scoring/scorer.ts';
export { Interrupted } from './scoring/stop.ts';
export { startService } from './server/server.ts';
export { train } from './training/train.ts';
