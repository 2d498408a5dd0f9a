import { jsonValue } from '../../base/json-value.ts';
import type { FailureKind } from '../../scoring/failures/failure-rule.ts';
import type { Headers } from '../pacing/rate-limit-headers.ts';
import { isObject } from '../parse-response.ts';
import type { ServiceProblem } from '../transport/call-errors.ts';
import type { Protocol } from './protocol.ts';

/**
 * What statuses of model servers mean. Eight of eleven servers that were tried respond with 500 to a value that their
 * model cannot use, SageMaker's container with 503, MLflow with 400, and FastAPI with 422. 424 is the status of clouds
 * for an error of the model.
 */
export const modelServerStatuses: Partial<Record<FailureKind, readonly number[]>> = {
  model_rejected: [400, 422],
  model_error: [424, 500, 503],
  too_slow: [408, 504],
};

/** What a model server says about a request that failed. */
export function modelServerProblem(body: string, headers: Headers, read: ReadProblem): ServiceProblem {
  const members = membersOf(body);
  const { code, detail } = problemIn(body, read);
  const faults = validationFaults(members.detail);
  const own = { code, status: modelStatus(members, headers) };
  if (faults !== undefined)
    return {
      ...own,
      detail: faults[0]?.text ?? '',
      rows: faults.flatMap(({ row, text }) => (row === undefined ? [] : [{ row, message: text }])),
    };
  // JSON without a message, or that was cut off, may repeat the rows.
  const isRows = jsonValue(body) === undefined ? /^\s*[[{]/.test(body) : detail === body;
  return { ...own, detail: isRows ? '' : (lastOfTraceback(body) ?? detail), maxRows: maxRowsIn(detail) };
}

/** What went wrong, which comes last in a traceback of Python. */
const lastOfTraceback = (text: string): string | undefined =>
  text.startsWith('Traceback (most recent call last)') ? text.trimEnd().split('\n').at(-1) : undefined;

/** Triton: `inference request batch-size must be <= 4096 for 'churn'`. */
function maxRowsIn(text: string): number | undefined {
  const [, rows] = /\bbatch-size must be <= (\d{1,9})\b/.exec(text) ?? [];
  return rows === undefined ? undefined : Number(rows);
}

/** The status of the model, if a cloud wraps it in a 424: SageMaker in `OriginalStatusCode`, Azure ML in a header. */
function modelStatus(members: Readonly<Record<string, unknown>>, headers: Headers): number | undefined {
  const status = Number(members.OriginalStatusCode ?? headers['ms-azureml-model-error-statuscode']);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

interface ValidationFault {
  /** Index of the row in the request; undefined if the fault is not in a row. */
  row: number | undefined;
  /** The column and what is wrong with it, without its value. */
  text: string;
}

/** The most faults that are read: a service names each column of each row. */
const MAX_FAULTS = 10_000;

/** The faults that FastAPI lists: `{"loc":["body","rows",1,"tenure"],"msg":"…","input":…}`; one for each row. */
function validationFaults(detail: unknown): ValidationFault[] | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  const faults = new Map<number | undefined, ValidationFault>();
  for (const entry of detail.slice(0, MAX_FAULTS)) {
    if (!isObject(entry) || !Array.isArray(entry.loc)) return undefined;
    const { loc, msg } = entry;
    const row: unknown = loc.find(part => Number.isInteger(part));
    const column = loc.findLast(part => typeof part === 'string');
    const index = typeof row === 'number' ? row : undefined;
    if (!faults.has(index))
      faults.set(index, { row: index, text: `${column ?? 'the request'}: ${String(msg)}` });
  }
  return [...faults.values()];
}

/** The members of a body that is a JSON object; none for any other. */
function membersOf(body: string): Readonly<Record<string, unknown>> {
  const parsed = jsonValue(body);
  return isObject(parsed) ? parsed : {};
}

/** Reads the body of an error as JSON; anything else, such as a proxy's HTML, is shown as text. */
export function problemIn(body: string, read: ReadProblem): ServiceProblem {
  const parsed = jsonValue(body);
  if (parsed === undefined) return { detail: body.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ') };
  const { code, message } = read(Object(parsed)); // members of unknown type
  return {
    code: typeof code === 'string' && CODE.test(code) ? code : undefined,
    detail: typeof message === 'string' ? message : body,
  };
}

/** Finds what an error has as its code and as its message, whatever that is. */
type ReadProblem = (members: Readonly<Record<string, unknown>>) => {
  code?: unknown;
  message?: unknown;
};

/** Codes are counted, so no other text, which may hold values of rows, is taken for one. */
const CODE = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * What errors of AWS mean: many have the status 400, whatever they are
 * (docs.aws.amazon.com/sagemaker/latest/APIReference/CommonErrors.html).
 */
const statuses: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  Throttling: 429,
  TooManyRequestsException: 429,
  ModelNotReadyException: 429,
  // Other credentials may do.
  ExpiredToken: 401,
  ExpiredTokenException: 401,
  AccessDenied: 403,
  AccessDeniedException: 403,
  IncompleteSignature: 403,
  InvalidClientTokenId: 403,
  InvalidSignatureException: 403,
  MissingAuthenticationToken: 403,
  MissingAuthenticationTokenException: 403,
  NotAuthorized: 403,
  OptInRequired: 403,
  RequestExpired: 403,
  SignatureDoesNotMatch: 403,
  UnrecognizedClientException: 403,
};

/** A protocol whose requests go through AWS's front, which has errors of its own. */
export const onSageMaker = (protocol: Protocol): Protocol => ({
  ...protocol,
  problemOf(status, body, headers) {
    const problem = protocol.problemOf(status, body, headers);
    const parsed = membersOf(body);
    // The container did not respond in time.
    if (parsed.OriginalStatusCode === 0) return { ...problem, status: 504 };
    return { ...problem, meant: meantBy(parsed, headers, problem) };
  },
});

function meantBy(
  parsed: Readonly<Record<string, unknown>>,
  headers: Headers,
  { detail }: ServiceProblem,
): number | undefined {
  const type = [headers['x-amzn-errortype']].flat()[0] ?? parsed.__type ?? parsed.code ?? parsed.ErrorCode;
  // A type may be preceded by a namespace, and followed by an address.
  const [, name = ''] = /^(?:.*#)?(\w+)/.exec(String(type)) ?? [];
  if (name === 'ValidationError' && /^Endpoint .* not found/.test(detail)) return 404;
  return statuses[name];
}
