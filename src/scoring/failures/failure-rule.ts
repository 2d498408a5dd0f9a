/** What failed if there was no response, or no usable one. */
export type FailureCause =
  | 'service_unreachable'
  | 'service_timeout'
  | 'connection_broken'
  | 'invalid_body'
  | 'headers_too_large'
  | 'encoded_answer'
  | 'other_response'
  | 'surplus_bytes'
  | 'no_accounts'
  | 'answer_too_large'
  | 'classes_changed'
  | 'permanent_error'
  | 'client_closed';

/** What is done about one kind of failure. */
export interface FailureRule {
  /** For the documentation: what happened, and what rowcast does. */
  readonly when: string;
  readonly does: string;
  /** The statuses of such responses. */
  readonly statuses: readonly number[];
  /** This status and all higher ones that no row lists. */
  readonly otherStatusesFrom?: number;
  readonly causes: readonly FailureCause[];
  /** What it says about the service as a whole. */
  readonly service?: 'up' | 'down';
  /** After how many failures that count `action` is taken. */
  readonly attempts: number;
  /** Isolate the rows at fault (halve the batch, or reject a single row), or stop the run. */
  readonly action: 'isolate' | 'stop';
  /** What other requests must show before rows are isolated: that the rows are at fault, not the service. */
  readonly evidence?: {
    /** Whether only the last failure needs evidence, or each failure needs it to count. */
    readonly for: 'last' | 'each';
    /** This many requests must have finished since the previous attempt. */
    readonly requests: number;
    /** At least this share of them succeeded, and at least one. */
    readonly share: number;
  };
  /** Whether a batch of several rows is halved without evidence: a smaller one may succeed. */
  readonly splitsWithoutEvidence?: boolean;
  /** Whether the columns are wrong, and the run stops, if before the first scored row three single rows fail alike. */
  readonly stopsIfFirstAlike?: boolean;
  /** Failures of this kind that no row causes. */
  readonly notByRows?: {
    readonly codes?: readonly string[];
    readonly statuses?: readonly number[];
    readonly withRetryAfter?: boolean;
  };
  /** A single row is rejected only after it has failed for the whole of --max-outage. */
  readonly rowUsesMaxOutage?: boolean;
  /** Before a single row stops the run, it is tried once more, and all of its predictions may be invalid. */
  readonly retryAllInvalid?: boolean;
  /** Until rows are isolated, the request is retried; the run stops after --max-outage without the following. */
  readonly maxOutage?: {
    readonly without: 'response' | 'scored batch';
    /** The run does not stop before so many failures of the request have counted. */
    readonly afterFailures?: number;
  };
}

/** The kind of a failed request. */
export type FailureKind =
  | 'unavailable'
  | 'busy'
  | 'rejected_request'
  | 'model_rejected'
  | 'server_error'
  | 'model_error'
  | 'too_slow'
  | 'invalid_response'
  | 'fatal';

export type FailureTable = Readonly<Record<FailureKind, FailureRule>>;
