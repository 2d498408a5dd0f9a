import type { Auth } from '../base/contract/auth-names.ts';
import type { SharedPace } from '../base/contract/shared-pace.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import type { FailureTable } from '../scoring/failures/failure-rule.ts';
import type { TraceRequest } from '../scoring/trace.ts';
import type { Key } from './credentials.ts';
import type { Protocol } from './protocols/protocol.ts';
import type { HttpProxy } from './transport/http-proxy.ts';
import type { ClientTls } from './transport/tls.ts';

export interface ClientOptions<P extends Protocol = Protocol> {
  /** Base URL, from `readBaseUrl`. */
  url: URL;
  /** Not needed if none is sent. */
  key?: string | Key | undefined;
  /** Where the key is from, for messages. */
  keyFrom?: string | undefined;
  /** How the key is sent; by default, as the protocol has it. */
  auth?: Auth | undefined;
  /** More headers, whose values are secret. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates, checked by `checkTls`. */
  tls?: ClientTls | undefined;
  proxy?: HttpProxy | undefined;
  /** Name of the service in messages: `local`, or its URL. */
  name: string;
  protocol: P;
  /** Timeout of one request, in seconds. */
  timeout?: number;
  /** How long to keep retrying while the service is unavailable, in seconds. */
  maxOutage?: number;
  /** Maximum number of requests in flight. */
  concurrency?: number;
  /** Maximum request rate, even if the service accepts more. */
  maxRequestsPerSecond?: number | undefined;
  /** Maximum personas per second, even if the service accepts more. */
  maxRowsPerSecond?: number | undefined;
  /** The pace of other processes of the same run. */
  sharedPace?: SharedPace | undefined;
  /** Called before each wait for a retry; `wait` is in milliseconds. */
  onRetry?: (failure: CallError, wait: number) => void;
  /** Makes each request a part of a trace. */
  trace?: TraceRequest | undefined;
  /** What is done about failed requests. */
  failureTable?: FailureTable;
}
