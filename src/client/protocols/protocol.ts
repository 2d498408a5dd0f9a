import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Auth } from '../../base/contract/protocol-names.ts';
import type { Description } from '../../base/contract/schemas.ts';
import type { FailureKind } from '../../scoring/failures/failure-rule.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';
import type { BodyLayout } from '../bodies/body-layout.ts';
import type { Secrets } from '../credentials.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import type { ServiceProblem } from '../transport/call-errors.ts';
import type { HttpRequest } from '../transport/http-request.ts';

/**
 * How a service is asked for predictions: which requests it understands, and what its responses mean. It sends nothing
 * and keeps nothing. Connections, pace, retries and what is done about failures are the same for all protocols.
 */
export interface Protocol {
  /** Part of what identifies a run. */
  readonly name: string;
  /** How services of this protocol usually want their key. */
  readonly auth: Auth;
  /** What each prediction consists of, if that is known before the first response. */
  readonly predictionType?: PredictionType | undefined;
  /** Asks what a model says about itself; missing if services of this protocol say nothing. */
  describe?(model: string): Question<Description>;
  /** Asks whether a model is ready; undefined if services say nothing about this one. */
  ready?(model: string): ReadyQuestion | undefined;
  /** Asks a model for predictions. */
  predict(model: string, known?: KnownModel): PredictionRequest;
  /** The largest body that any service of this protocol is documented to accept, in bytes. */
  readonly maxBatchBytes?: number | undefined;
  /** What a response with another status than 200 says; of its body, the first 64 KiB. */
  problemOf(status: number, body: string, headers: Headers): ServiceProblem;
  /** See `Scorer.dependsOnBatch`. */
  readonly dependsOnBatch?: boolean;
  /** Statuses that mean another kind of failure than in `client/failure-table.ts`. */
  readonly statuses?: Partial<Record<FailureKind, readonly number[]>>;
  /**
   * What a response answers, for the check at the end of a run, which asks for the description once more, or whether
   * the service is ready: a response with predictions then belongs to an earlier request.
   *
   * @returns undefined if it could be either
   * @throws InvalidResponse if it is neither
   */
  kindOf(body: Buffer): 'description' | 'predictions' | undefined;
}

/** What is known of a model before it is asked for predictions. */
export interface KnownModel {
  /** The classes that options or its description name, in the order in which a response may list probabilities. */
  readonly classes?: readonly string[] | undefined;
  /** What it says about itself. */
  readonly description?: Description | undefined;
}

/** A request and how its response is read. */
export interface Question<Answer> {
  readonly request: HttpRequest;
  /** @throws InvalidResponse */
  read(body: Buffer): Answer;
}

/** Asks whether a model is ready. */
export interface ReadyQuestion {
  request: HttpRequest;
  /** Whether the request names the model. Otherwise 404 means that the service is not asked at this path. */
  namesModel: boolean;
}

/** How the rows of a batch are sent, and how their predictions come back. */
export interface PredictionRequest {
  /** Everything but the body. */
  readonly request: HttpRequest;
  readonly body: BodyLayout;
  /** A reader for the responses of one run, which may learn from each what the next will look like. */
  reader(): ResponseReader;
}

export interface ResponseReader {
  /**
   * Reads and checks a response: a prediction or an error for each row, in the order of the rows.
   *
   * @throws InvalidResponse
   */
  read(body: Buffer, expected: Expected): ReceivedPredictions;
}

/** The expected classes; undefined if they are not known, or the predictions have none. */
export const expectedClasses = ({
  predictionType,
}: Pick<Expected, 'predictionType'>): readonly string[] | undefined =>
  predictionType?.kind === 'distribution' ? predictionType.classes : undefined;

/** What a response is compared with. */
export interface Expected {
  /** Number of personas sent. */
  personas: number;
  /** What the columns of the output stand for, once that is known; predictions must consist of the same. */
  predictionType: PredictionType | undefined;
  /** Whether these rows are what is left after halving a batch: all of their predictions may be invalid. */
  allowAllInvalid?: boolean;
  /** The id in the body of the request, which the response must return if the protocol says so. */
  id?: string;
  /** Text from the service that contains one of them is not shown. */
  secrets?: Secrets;
}
