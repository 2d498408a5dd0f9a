import type { ErrorDocs } from './error-doc.ts';

/** Codes of the problems (RFC 9457) with which the service responds. */
export const problemDocs = {
  malformed: {
    cause: 'JSON, form, gzip, headers or path of the request are invalid, or the connection broke.',
    fix: 'See `detail`.',
  },
  bad_report_id: { cause: 'The report ID has invalid characters or is too long.' },
  empty_input: { cause: 'The upload has no bytes.' },
  unsupported_format: {
    cause:
      'The upload is of a format or compression that is not read, such as an Excel workbook, a JSON array or zip, or has the name of another one.',
    fix: 'Send CSV or JSON lines, also with `Content-Encoding: gzip`, and name its format.',
  },
  bad_header: {
    cause: 'The header is malformed, or its names look like values.',
    fix: 'Send a header line in UTF-8.',
  },
  unclosed_quote: { cause: 'A quote is not closed, on the line in `detail`.' },
  unauthorized: {
    cause: 'The API key is missing, unknown, revoked or expired.',
    fix: 'Send `Authorization: ApiKey KEY`.',
  },
  wrong_host: {
    cause: 'The service listens on loopback, but `Host` is no loopback name.',
    fix: 'Use `localhost`, also in the proxy.',
  },
  cross_origin: {
    cause: 'A page of another site sent a request to the web platform.',
    fix: 'A proxy must pass on `Host`.',
  },
  stale_form: {
    cause: 'The CSRF token is missing, or of a session that has ended.',
    fix: 'Load the page again.',
  },
  missing_scope: { cause: 'The key lacks the scope of this endpoint.', fix: 'Create one with `--scope`.' },
  no_such_endpoint: { cause: 'There is no such path; see `/openapi.json`.' },
  no_such_report: { cause: 'There is no such report, or the key has no access to it.' },
  no_such_data: { cause: 'The data was deleted, or never existed.' },
  no_such_training: {
    cause: 'The training is long past, or never existed.',
    fix: 'Open the Predict page of the data again.',
  },
  no_such_run: { cause: 'The run of the web platform does not exist, or is another key’s.' },
  no_output: { cause: 'The run has no such file: it is unfinished, failed, deleted, or without rejects.' },
  training_running: {
    cause: 'A training is running, and only one runs at a time.',
    fix: 'Wait, or cancel the one in `detail`.',
  },
  run_begun: { cause: 'The run already has a file.', fix: 'Start another.' },
  too_many_runs: { cause: 'The key has as many runs as are kept.', fix: 'Delete some.' },
  not_running_here: {
    cause: 'Another process over the same data directory is training or scoring this.',
    fix: 'Cancel it there.',
  },
  data_in_use: {
    cause: 'A training reads the data, so it cannot be deleted.',
    fix: 'Wait, or cancel the training.',
  },
  damaged_data: { cause: 'The uploaded data is damaged.', fix: 'Delete it and upload it again.' },
  invalid_csv: { cause: 'No report can be trained on this file.', fix: '`detail` names cause and line.' },
  quota_exceeded: {
    cause: 'Data, runs and reports would exceed `--data-bytes`, or what the key leaves free for others.',
    fix: 'Delete some, or raise it.',
  },
  disk_full: { cause: 'The disk of the service is full.' },
  method_not_allowed: { cause: 'The path does not support this method; see `Allow`.' },
  request_timeout: {
    cause: 'The body or upload arrived too slowly.',
    fix: 'Check the network; send smaller bodies.',
  },
  damaged_report: { cause: 'The files of the report are damaged.', fix: 'Train it again.' },
  too_large: { cause: 'The body exceeds the limit.', fix: 'Send fewer personas.' },
  too_many_personas: {
    cause: 'The batch exceeds the limit in `detail`, which is lower for very wide reports and large models.',
  },
  too_many_members: {
    cause: 'A persona or the body has too many JSON members.',
    fix: 'Send only the report’s columns, or fewer personas.',
  },
  record_too_long: { cause: 'A record exceeds the limit.', fix: 'Check the quoting.' },
  too_many_columns: { cause: 'The upload has too many columns.' },
  unsupported_media_type: {
    cause: 'The endpoint does not support this content type.',
    fix: 'Send JSON; to batch-predict, `text/csv`, `application/x-ndjson` or a form. Parquet is scored by `rowcast score`.',
  },
  unsupported_encoding: { cause: 'The body is compressed other than by gzip.' },
  not_a_persona: {
    cause: 'The persona is not an object with `features`.',
    fix: 'Send `{"features": {COLUMN: VALUE}}`.',
  },
  unknown_columns: { cause: 'The persona has no column of the report; see its `drivers` and `columns`.' },
  invalid_value: { cause: 'A value is not text, a number, a boolean or null.' },
  missing_columns: { cause: 'The upload has no column of the report.', fix: 'Check header and delimiter.' },
  duplicate_columns: { cause: 'Two columns of the upload or response have the same name.' },
  rate_limited: {
    cause: 'The key exceeds its requests or rows per second, or the address sent too many wrong keys.',
    fix: 'Wait for `Retry-After`.',
  },
  headers_too_large: { cause: 'The headers exceed 16 KiB or number more than 2,000.' },
  internal: { cause: 'The service failed.', fix: 'See its log for the `X-Request-Id`.' },
  unsupported_transfer_encoding: {
    cause: 'The `Transfer-Encoding` is not `chunked`.',
    fix: 'Compress with `Content-Encoding: gzip`, or not at all.',
  },
  draining: { cause: 'The service is shutting down.', fix: 'Retry; a load balancer picks another instance.' },
  home_unavailable: {
    cause: 'The folder of reports, keys and data is unusable.',
    fix: 'Check disk and permissions of `ROWCAST_HOME`.',
  },
  busy: {
    cause: 'The key uses all it may of a shared limit: requests, uploads, memory or disk.',
    fix: 'Retry after `Retry-After`, with fewer requests at a time.',
  },
  unresponsive: {
    cause: 'The main thread is not responding (admin port only).',
    fix: 'Wait; restart if `/healthz` fails too.',
  },
  http_version: {
    cause: 'HTTP/1.0 lacks the trailers of batch-predict.',
    fix: 'Use HTTP/1.1, also in the proxy.',
  },
} as const satisfies ErrorDocs;

export type ProblemCode = keyof typeof problemDocs;
