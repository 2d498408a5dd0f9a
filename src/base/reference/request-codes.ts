import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of failed requests to a prediction service. A response with a problem code has that code instead. */
export const requestCodes = {
  service_unreachable: {
    exit: [75],
    cause: 'The service cannot be connected to.',
    fix: 'Check that it runs, `--url` and the network.',
  },
  model_not_ready: {
    exit: [75],
    cause: 'The server does not know the model, or has not loaded it within `--max-outage`.',
    fix: 'Check `--report`.',
  },
  service_timeout: {
    exit: [75],
    cause: 'The response was incomplete after `--timeout`.',
    fix: 'Raise it, or lower `--batch-rows`.',
  },
  connection_broken: {
    exit: [75],
    cause: 'The connection broke before the response was complete.',
    fix: 'Check service and proxies.',
  },
  no_such_host: {
    exit: [2, 3],
    cause: 'The host of a service, input or store is unknown.',
    fix: 'Check the URL, the endpoint, and DNS.',
  },
  bad_certificate: {
    exit: [2, 3],
    cause: 'A certificate is untrusted, for another host, not accepted, or its file is unusable.',
    fix:
      'Name the authority with `--ca-file`, or `NODE_EXTRA_CA_CERTS` for inputs and stores. Files are PEM, keys ' +
      'without a passphrase.',
  },
  proxy_refused: {
    exit: [2, 3],
    cause: 'The proxy does not connect.',
    fix: 'Status 407: user and password in `HTTPS_PROXY`, with `--proxy env`.',
  },
  tls_expected: { exit: [2, 3], cause: 'The service speaks https; the URL says http.' },
  tls_refused: { exit: [2, 3], cause: 'The URL says https; this port does not speak TLS.' },
  http_NNN: {
    exit: [2, 3, 75],
    cause: 'The status NNN, without a problem code.',
    fix:
      'Status 401 or 403: check the key; 404: `--report` and `--url`; 413: lower `--batch-rows`; else see the ' +
      'service’s log.',
  },
  wrong_answer: {
    exit: [2, 3],
    cause: 'The response has another count, report, shape or classes, or no valid prediction.',
  },
  encoded_answer: {
    exit: [3],
    cause: 'The response is compressed.',
    fix: 'Turn that off in the service or proxy.',
  },
  answer_too_large: {
    exit: [2, 3],
    cause: 'The response is larger than any valid one.',
    fix: 'Check `--url`.',
  },
  headers_too_large: { exit: [3], cause: 'The response’s headers exceed the limit.' },
  other_response: {
    exit: [3],
    cause: 'The response has the ID of another request.',
  },
  surplus_bytes: {
    exit: [3],
    cause: 'A connection brought more bytes than one response.',
  },
  mixed_up_responses: {
    exit: [3],
    cause: 'Responses were mixed up after rows had been written; the output was discarded.',
    fix: 'Have the service echo `X-Request-Id`.',
  },
  client_closed: { exit: [2, 3], cause: 'The program closed the client during a request.' },
  service_died: {
    exit: [70],
    cause: 'A scoring thread of a local report ended.',
    fix: 'If it recurs, report it.',
  },
} as const satisfies CommandErrorDocs;
