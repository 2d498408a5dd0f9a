import type { ErrorDoc } from './error-doc.ts';

/**
 * Codes of the problems (RFC 9457) with which the service responds. A damaged report stays damaged until it is trained
 * again, hence 410: a 5xx would invite clients to retry.
 */
export const problemDocs = {
  malformed: {
    status: 400,
    cause: 'JSON, form, gzip, headers or path are invalid, or the connection broke: see `detail`.',
  },
  bad_report_id: { status: 400, cause: 'Invalid characters, or too long.' },
  empty_input: { status: 400, cause: 'The upload has no bytes.' },
  unsupported_format: {
    status: 400,
    cause: 'A format or compression that is not read, or the name of another one.',
    fix: 'Send CSV or JSON lines, also gzip.',
  },
  bad_header: {
    status: 400,
    cause: 'The header is malformed, or its names look like values.',
    fix: 'Send a header line in UTF-8.',
  },
  unclosed_quote: { status: 400, cause: 'A quote is not closed, on the line in `detail`.' },
  unauthorized: {
    status: 401,
    cause: 'The API key is missing, unknown, revoked or expired.',
    fix: 'Send `Authorization: ApiKey KEY`.',
  },
  wrong_host: {
    status: 403,
    cause: '`Host` is no loopback name.',
    fix: 'Use `localhost`, also in the proxy.',
  },
  cross_origin: { status: 403, cause: 'A page of another site asked.', fix: 'A proxy must pass on `Host`.' },
  stale_form: { status: 403, cause: 'The CSRF token is missing or old.', fix: 'Load the page again.' },
  missing_scope: { status: 403, cause: 'The key lacks this scope.', fix: 'Create one with `--scope`.' },
  no_such_endpoint: { status: 404, cause: 'There is no such path: see `/openapi.json`.' },
  no_such_report: { status: 404, cause: 'None, or the key has no access to it.' },
  no_such_data: { status: 404, cause: 'Deleted, or never there.' },
  no_such_training: { status: 404, cause: 'Long past, or never there.', fix: 'Open the Predict page again.' },
  no_such_run: { status: 404, cause: 'None, or another key’s.' },
  no_output: { status: 404, cause: 'The run is unfinished, failed, deleted, or without rejects.' },
  training_running: {
    status: 409,
    cause: 'One training runs at a time.',
    fix: 'Wait, or cancel the one in `detail`.',
  },
  run_begun: { status: 409, cause: 'The run already has a file.', fix: 'Start another.' },
  too_many_runs: { status: 429, cause: 'The key has as many runs as are kept.', fix: 'Delete some.' },
  not_running_here: {
    status: 409,
    cause: 'Another process over the same folder runs it.',
    fix: 'Cancel it there.',
  },
  data_in_use: { status: 409, cause: 'A training reads the data.', fix: 'Wait, or cancel it.' },
  damaged_data: { status: 410, cause: 'The data is damaged.', fix: 'Upload it again.' },
  invalid_csv: {
    status: 422,
    cause: 'No report can be trained on this file.',
    fix: '`detail` names cause and line.',
  },
  quota_exceeded: {
    status: 507,
    cause: 'More than `--data-bytes`, or than the key leaves free.',
    fix: 'Delete some, or raise it.',
  },
  disk_full: { status: 507, cause: 'The disk of the service is full.' },
  method_not_allowed: { status: 405, cause: 'Not for this path: see `Allow`.' },
  request_timeout: { status: 408, cause: 'The body arrived too slowly.' },
  damaged_report: {
    status: 410,
    cause: 'The files of the report are damaged.',
    fix: 'Train or import it again.',
  },
  too_large: { status: 413, cause: 'The body exceeds the limit.' },
  too_many_personas: { status: 413, cause: 'More than the limit in `detail`.' },
  too_many_members: { status: 413, cause: 'Too many JSON members.', fix: 'Send only the report’s columns.' },
  record_too_long: { status: 413, cause: 'A record exceeds the limit.', fix: 'Check the quoting.' },
  too_many_columns: { status: 413, cause: 'The upload has too many columns.' },
  unsupported_media_type: {
    status: 415,
    cause: 'The content type is not supported.',
    fix: 'Send JSON; to batch-predict `text/csv`, `application/x-ndjson` or a form. Parquet: `rowcast score`.',
  },
  unsupported_encoding: { status: 415, cause: 'Compressed other than by gzip.' },
  not_a_persona: { status: 422, cause: 'Send `{"features": {COLUMN: VALUE}}`.' },
  unknown_columns: { status: 422, cause: 'No column of the report; see `drivers` and `columns`.' },
  wrong_prediction: { status: 422, cause: 'The model’s number is not finite.' },
  no_testing_results: { status: 404, cause: 'The report was imported.' },
  invalid_value: { status: 422, cause: 'A value is not text, a number, a boolean or null.' },
  missing_columns: { status: 422, cause: 'No column of the report.', fix: 'Check header and delimiter.' },
  duplicate_columns: { status: 422, cause: 'Two columns have one name.' },
  rate_limited: {
    status: 429,
    cause: 'Too many requests, rows, or wrong keys.',
    fix: 'Wait for `Retry-After`.',
  },
  headers_too_large: { status: 431, cause: 'More than 16 KiB, or 2,000.' },
  internal: { status: 500, cause: 'The service failed.', fix: 'See its log for the `X-Request-Id`.' },
  unsupported_transfer_encoding: { status: 501, cause: '`Transfer-Encoding` is not `chunked`.' },
  draining: { status: 503, cause: 'The service is shutting down.', fix: 'Retry.' },
  home_unavailable: { status: 503, cause: '`ROWCAST_HOME` is unusable: check disk and permissions.' },
  busy: {
    status: 503,
    cause: 'The key uses all it may of a shared limit.',
    fix: 'Wait for `Retry-After`; send fewer at a time.',
  },
  unresponsive: {
    status: 503,
    cause: 'The main thread does not respond.',
    fix: 'Wait; restart if `/healthz` fails too.',
  },
  http_version: { status: 505, cause: 'HTTP/1.0 lacks trailers.', fix: 'Use HTTP/1.1, also in the proxy.' },
} as const satisfies Readonly<Record<string, ErrorDoc & { status: number }>>;

export type ProblemCode = keyof typeof problemDocs;
