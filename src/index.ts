/**
 * The library's face: what the command line is made of, for programs that score without it.
 *
 *     const client = new Client({ url: readBaseUrl('https://predictions.example.com', false), key, name: 'hosted' });
 *     const scored = await score({ ...scoreDefaults, input: 'personas.csv', output: 'scored.csv', report: 'churn' }, client);
 */
export type { Answer } from './api/answer.ts';
export { readBaseUrl } from './api/base-url.ts';
export { Client, type ClientOptions } from './api/client.ts';
export { CallError, type FailureKind } from './api/failures.ts';
export type { Features, LooseReport, Probabilities, Report } from './api/shapes.ts';
export { contractWire, type Wire } from './api/wire.ts';
export { scoreDefaults } from './definition/defaults.ts';
export { loadDefinition } from './definition/definition.ts';
export { RowcastError } from './errors.ts';
export type { Accounts } from './pipeline/accounts.ts';
export type { ScoreOptions } from './pipeline/options.ts';
export type { Reject } from './pipeline/rejects.ts';
export { type Scored, score } from './pipeline/score.ts';
export { Interrupted, type Watch } from './pipeline/watch.ts';
export { startService } from './service/server.ts';
export { train } from './service/train.ts';
