import type { ErrorDocs } from './error-doc.ts';

/** Codes of the problems (RFC 9457) with which the service responds. */
export const problemDocs = {
  malformed: {
    cause: 'The request is not valid: its JSON, form, gzip, headers or path, or the connection broke.',
    fix: 'Correct what `detail` names.',
  },
  bad_report_id: {
    cause: 'The report ID has invalid characters or is too long.',
    fix: 'Use an ID as listed by `rowcast reports`.',
  },
  empty_input: { cause: 'The upload has no bytes.', fix: 'Send a CSV with a header.' },
  not_csv: {
    cause: 'The upload is not CSV, but compressed in another way than gzip, a zip archive, Parquet or JSON.',
    fix: 'Send CSV, or gzip with `Content-Encoding: gzip`.',
  },
  bad_header: {
    cause:
      'The header of the upload is malformed, or all its names look like values, so it is probably a row.',
    fix: 'Correct the header, or add a first line that names the columns; use UTF-8.',
  },
  unclosed_quote: {
    cause: 'A quoted field of the upload is not closed.',
    fix: 'Close the quote on the line that `detail` names.',
  },
  unauthorized: {
    cause: 'The API key is missing, unknown, revoked or expired.',
    fix: 'Send `Authorization: ApiKey KEY` with a valid key.',
  },
  wrong_host: {
    cause: 'The `Host` header is not a loopback name, while the service listens on loopback.',
    fix: 'Use `localhost`, or have the proxy send it as `Host`.',
  },
  cross_origin: {
    cause: 'A page of another site sent a request to the web platform.',
    fix: 'Use the pages of the platform. A proxy in front of it must pass `Host` on.',
  },
  stale_form: {
    cause: 'A request to the web platform has no CSRF token, or that of a session that has ended.',
    fix: 'Load the page again and repeat what you did.',
  },
  missing_scope: {
    cause: 'The key does not have the scope of this endpoint.',
    fix: 'Create a key with `--scope`.',
  },
  no_such_endpoint: { cause: 'There is no such path.', fix: 'See `/openapi.json` for the endpoints.' },
  no_such_report: {
    cause: 'There is no such report, or the key does not grant access to it.',
    fix: 'Check the ID and the reports of the key.',
  },
  no_such_data: {
    cause: 'There is no such uploaded data: it was deleted, or the address is wrong.',
    fix: 'Choose one of the data on the first page.',
  },
  no_such_training: {
    cause: 'There is no such training: it was a long time ago, or the address is wrong.',
    fix: 'Open the Predict page of the data again.',
  },
  no_such_run: {
    cause: 'There is no such run of the web platform, or it is another key’s.',
    fix: 'Choose one of the list of runs.',
  },
  no_output: {
    cause: 'The run has no such file: it has not finished, has failed, was deleted, or has no rejects.',
    fix: 'Choose a run that has finished.',
  },
  training_running: {
    cause: 'A training is running, and only one runs at a time.',
    fix: 'Wait until it has ended, or cancel it: `detail` says which one it is.',
  },
  run_begun: {
    cause: 'A file was sent to a run that has one already.',
    fix: 'Start another run.',
  },
  too_many_runs: {
    cause: 'The key has as many runs on the web platform as are kept.',
    fix: 'Delete runs that are no longer needed.',
  },
  not_running_here: {
    cause:
      'Another process that serves the same data directory is running the training, or scoring the file.',
    fix: 'Cancel it on the pages of that process.',
  },
  data_in_use: {
    cause: 'The data cannot be deleted, because a training reads it.',
    fix: 'Wait until the training has ended, or cancel it.',
  },
  damaged_data: {
    cause: 'The files of the uploaded data are damaged.',
    fix: 'Delete the data and upload it again.',
  },
  invalid_csv: {
    cause: 'The uploaded file is not a CSV that a report can be trained on.',
    fix: 'Correct what `detail` names, at the line that it names, and upload the file again.',
  },
  quota_exceeded: {
    cause:
      'Data, runs and reports of the web platform would take up more than `--data-bytes`, or more than the key leaves free for others.',
    fix: 'Delete data, runs or reports that are no longer needed, or raise `--data-bytes`.',
  },
  disk_full: {
    cause: 'The disk of the service is full.',
    fix: 'Free disk space on the machine of the service, then try again.',
  },
  method_not_allowed: {
    cause: 'The path does not support this method.',
    fix: 'Use one from the `Allow` header.',
  },
  request_timeout: {
    cause: 'The body or an upload arrived too slowly.',
    fix: 'Check the network; send smaller bodies.',
  },
  damaged_report: {
    cause: 'The files of the report are damaged.',
    fix: 'Train the report again with `--if-exists replace`.',
  },
  too_large: { cause: 'The body exceeds the limit.', fix: 'Send fewer personas in each request.' },
  too_many_personas: {
    cause:
      'The batch has more personas than the limit, which is lower for very wide reports and large models.',
    fix: 'Send as many as `detail` allows.',
  },
  too_many_members: {
    cause: 'A persona or the body has too many JSON members.',
    fix: 'Send only the columns of the report, or fewer personas.',
  },
  record_too_long: {
    cause: 'A record of the upload exceeds the limit.',
    fix: 'Check the quoting of the file.',
  },
  too_many_columns: {
    cause: 'The upload has too many columns.',
    fix: 'Send only the columns that are needed.',
  },
  unsupported_media_type: {
    cause: 'The content type is not supported by this endpoint.',
    fix: 'Send JSON; for batch-predict, `text/csv` or a form.',
  },
  unsupported_encoding: { cause: 'The body is compressed in an unsupported way.', fix: 'Use gzip or none.' },
  not_a_persona: {
    cause: 'The persona is not an object with `features`.',
    fix: 'Send `{"features": {COLUMN: VALUE}}`.',
  },
  unknown_columns: {
    cause: 'The persona has none of the columns of the report.',
    fix: 'See `drivers` and `columns` of the report for their names.',
  },
  invalid_value: {
    cause: 'A value is not text, a number, a boolean or null.',
    fix: 'Send one value for each column, without nesting.',
  },
  missing_columns: {
    cause: 'The upload has none of the columns of the report.',
    fix: 'Check the header and the delimiter.',
  },
  duplicate_columns: {
    cause: 'Two columns of the upload, or of the response, would have the same name.',
    fix: 'Rename one of them.',
  },
  rate_limited: {
    cause:
      'The key has exceeded its requests or rows per second, or the address has sent too many wrong keys.',
    fix: 'Wait as long as `Retry-After` says.',
  },
  headers_too_large: {
    cause: 'The headers of the request exceed the limit of 16 KiB, or there are more than 2,000.',
    fix: 'Send fewer or shorter headers.',
  },
  internal: { cause: 'The service failed.', fix: 'Read its log, at the `X-Request-Id` of the response.' },
  unsupported_transfer_encoding: {
    cause: 'The request has a `Transfer-Encoding` other than `chunked`.',
    fix: 'Compress the body with `Content-Encoding: gzip`, or send it as it is.',
  },
  draining: { cause: 'The service is shutting down.', fix: 'Retry; a load balancer picks another instance.' },
  home_unavailable: {
    cause: 'The folder of reports, keys and data of the service cannot be used.',
    fix: 'Check the disk and permissions of `ROWCAST_HOME`.',
  },
  busy: {
    cause: 'The key already uses as much of a shared limit as it may: requests, uploads, memory or disk.',
    fix: 'Retry after `Retry-After`; send fewer requests at the same time.',
  },
  unresponsive: {
    cause: 'Only on the admin port: the main thread has not responded for a while.',
    fix: 'Wait; restart the service if `/healthz` fails too.',
  },
  http_version: {
    cause: 'The endpoint batch-predict was called over HTTP/1.0, which does not support trailers.',
    fix: 'Use HTTP/1.1, also in the proxy in front of the service.',
  },
} as const satisfies ErrorDocs;

export type ProblemCode = keyof typeof problemDocs;
