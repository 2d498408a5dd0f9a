import type { ProblemCode } from '../../base/reference/problem-codes.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { InputData } from '../../models/local/threads/thread-messages.ts';
import type { StoredModel } from '../../models/model/compiled-model.ts';
import type { Scored } from '../../scoring/scorer.ts';
import type { ContentMember, Slice } from '../predict/persona-work.ts';
import type { WorkLimits } from '../predict/predictor.ts';

/**
 * Requests to a thread of the service. Models, inputs of uploads and jobs, which are requests with personas, have numbers;
 * they are kept until they are closed.
 */
export type ServiceRequest =
  | { kind: 'open-model'; model: number; stored: StoredModel }
  | { kind: 'close-model'; model: number }
  | { kind: 'open-input'; input: number; model: number; data: InputData }
  | { kind: 'score'; input: number; batch: Batch }
  | { kind: 'close-input'; input: number }
  | { kind: 'open-job'; job: number; parts: readonly Uint8Array[]; member: ContentMember }
  | { kind: 'slice'; job: number; model: number; work: WorkLimits }
  | { kind: 'more'; job: number }
  | { kind: 'close-job'; job: number };

/** Its responses: to a batch, an opened job, a slice of one, and a request for more of its response. */
export type ServiceResult =
  | { kind: 'scored'; scored: Scored }
  | { kind: 'opened'; id: string }
  | { kind: 'slice'; slice: Slice }
  /** Undefined after the last piece. */
  | { kind: 'piece'; piece: Uint8Array | undefined }
  /** The request is to be rejected with this problem. */
  | { kind: 'refused'; code: ProblemCode; detail: string };
