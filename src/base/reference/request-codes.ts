import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of failed requests to a prediction service. A response with a problem code has that code instead. */
export const requestCodes = {
  service_unreachable: {
    exit: [75],
    cause: 'No connection to the service could be made.',
    fix: 'Check `--url`, the network, and that the service is running.',
  },
  service_timeout: {
    exit: [75],
    cause: 'The complete response did not arrive within `--timeout`.',
    fix: 'Raise `--timeout`, or lower `--batch-rows`.',
  },
  connection_broken: {
    exit: [75],
    cause: 'The connection broke before the response was complete.',
    fix: 'Check the service and the proxies in front of it. Run the same command again if the run stopped.',
  },
  no_such_host: {
    exit: [2, 3],
    cause: 'The host name of the service is unknown.',
    fix: 'Check `--url` and DNS.',
  },
  bad_certificate: {
    exit: [2, 3],
    cause:
      'The TLS certificate of the service is not trusted or is for another host; with `serve`, its own certificate or key cannot be loaded.',
    fix: 'Renew it, use the host name that it contains, or name its authority in `NODE_EXTRA_CA_CERTS`. For `serve`, check `--tls-cert` and `--tls-key`.',
  },
  tls_expected: {
    exit: [2, 3],
    cause: 'The service speaks https, but the URL says http.',
    fix: 'Use https in `--url`.',
  },
  tls_refused: {
    exit: [2, 3],
    cause: 'The URL says https, but the service does not speak TLS on this port.',
    fix: 'Check the port and scheme of `--url`.',
  },
  http_NNN: {
    exit: [2, 3, 75],
    cause: 'The service responded with status NNN and no problem code.',
    fix: 'For 401 and 403 check the key, for 404 `--report` and `--url`, for 413 lower `--batch-rows` or `--batch-bytes`; otherwise read the log of the service.',
  },
  wrong_answer: {
    exit: [2, 3],
    cause:
      'The response does not match the request: another count, report, shape or set of classes, or no valid prediction.',
    fix: 'Check the service. If its report was retrained during the run, start again.',
  },
  encoded_answer: {
    exit: [3],
    cause: 'The response is compressed, although no compression was requested.',
    fix: 'Turn off compression in the service or in the proxy in front of it.',
  },
  answer_too_large: {
    exit: [2, 3],
    cause: 'The response is larger than any valid response to the request.',
    fix: 'Check that `--url` points to a prediction service.',
  },
  headers_too_large: {
    exit: [3],
    cause: 'The headers of the response exceed the limit.',
    fix: 'Check the service and the proxies in front of it.',
  },
  other_response: {
    exit: [3],
    cause: 'The response carries the request ID of another request.',
    fix: 'Find out what mixes up responses: the service or a proxy in front of it.',
  },
  surplus_bytes: {
    exit: [3],
    cause: 'More bytes than one response arrived on a connection.',
    fix: 'Find out what sends more than it announces: the service or a proxy in front of it.',
  },
  mixed_up_responses: {
    exit: [3],
    cause:
      'Responses were assigned to the wrong requests, and rows had already been written. The output was discarded.',
    fix: 'Repair the service or proxy, which should echo `X-Request-Id`, and score the input again.',
  },
  client_closed: {
    exit: [2, 3],
    cause: 'The client was closed while a request was in flight.',
    fix: 'In a program, close the client after its last request has ended.',
  },
  service_died: {
    exit: [70],
    cause: 'A thread that scores with a local report ended.',
    fix: 'Run the command again. If it happens again, report it with the message.',
  },
} as const satisfies CommandErrorDocs;
