/**
 * The library: what the commands do, for programs. See docs/library.md.
 *
 *     const summary = await score({ input: 'personas.csv', output: 'scored.csv', report: 'churn' });
 *
 * scores with a report of this machine; `url`, or `scorer: new Client({ url, key })`, asks a service instead.
 */

export type {
  Features,
  ImportedReport,
  LooseReport,
  NumbersReport,
  Predicted,
  Prediction,
  Probabilities,
  Report,
  TrainedReport,
  ValueWarning,
} from './base/contract/schemas.ts';
export { type Location, RowcastError } from './base/errors.ts';
export type { ClientTls } from './client/transport/tls.ts';
export type { Evaluation } from './evaluate/evaluation.ts';
export type { Reject } from './formats/records/reject.ts';
export type { Callbacks, Progress, Retry } from './library/callbacks.ts';
export { loadDefinition } from './library/definition/definition.ts';
export type { Definition } from './library/definition/inspect-definition.ts';
export { type EvaluateOptions, evaluate } from './library/evaluate/evaluate.ts';
export { type PlanOptions, plan } from './library/forecast/plan.ts';
export type { Plan, PlannedInput } from './library/forecast/plan-of.ts';
export { type ImportModelOptions, importModel } from './library/import-model.ts';
export type { ScoreOptions, ScoreStreamOptions } from './library/options/library-options.ts';
export { score } from './library/score.ts';
export type {
  BatchOutcome as Outcome,
  PersonaBatch as Batch,
  ProgramScorer as Scorer,
} from './library/scorer.ts';
export {
  type Call,
  Client,
  type ClientOptions,
  type PersonaCall,
  type UploadCall,
} from './library/scorers/client.ts';
export { LocalScorer, type LocalScorerOptions } from './library/scorers/local-scorer.ts';
export { type Service, type ServiceOptions, startService } from './library/start-service.ts';
export { scoreStream } from './library/streams/scored-stream.ts';
export { type TrainOptions, train } from './library/train.ts';
export { type Difference, type Verification, type VerifyOptions, verify } from './library/verify.ts';
export type { Summary } from './runs/summary/summary.ts';
export type { VerifiedRows as Tally } from './runs/verify/compare.ts';
export { CallError } from './scoring/failures/call-error.ts';
export type { FailureKind } from './scoring/failures/failure-rule.ts';
