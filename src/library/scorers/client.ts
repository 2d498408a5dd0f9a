import { Readable } from 'node:stream';
import type { UploadFormat } from '../../base/contract/file-formats.ts';
import {
  type Auth,
  defaultProtocol,
  isOfCloud,
  type ProtocolName,
} from '../../base/contract/protocol-names.ts';
import type {
  Features,
  LooseReport,
  Predicted,
  Prediction,
  ValueWarning,
} from '../../base/contract/schemas.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { appendedOptions } from '../../base/options/output.ts';
import { rateOptions } from '../../base/options/pace.ts';
import {
  connectionOptions,
  outageOptions,
  protocolOption,
  timeoutOption,
} from '../../base/options/service.ts';
import { readBaseUrl, redacted } from '../../client/base-url.ts';
import { connectReports, ReportClient } from '../../client/protocols/report/report-client.ts';
import { ServiceClient } from '../../client/service-client.ts';
import type { ClientTls } from '../../client/transport/tls.ts';
import type { RunControl } from '../../runs/run-control.ts';
import { asRowcastError, called } from '../as-rowcast-error.ts';
import { CallbackGuard } from '../callback-guard.ts';
import { type Retry, retryOf } from '../callbacks.ts';
import { checkObject, readGiven } from '../options/given-values.ts';
import type { BatchOutcome, PersonaBatch, ProgramScorer } from '../scorer.ts';
import { chooseProtocol } from '../service/choose-protocol.ts';
import { onlyReports } from '../service/choose-service.ts';
import { cloudService } from '../service/cloud/cloud-hosts.ts';
import { cloudKey } from '../service/cloud/cloud-key.ts';
import { checkProxy, proxyOf } from '../service/proxy-of.ts';
import { checkClientTls, checkedHeaders, checkKey } from './client-access.ts';
import { FeaturesClient, predictBatches } from './predict-batches.ts';

/** Options of a `Client`. */
export interface ClientOptions {
  /** Base URL of the service, such as `https://predictions.example.com`. */
  url: string | URL;
  /** API key. It is sent with each request, and never logged. Not needed with `auth: 'none'`. */
  key?: string | undefined;
  /**
   * How the service is asked; by default `'report'`, the prediction report API. `rowcast protocols` lists the others.
   */
  protocol?: ProtocolName | undefined;
  /** Requests and responses of the protocol `custom`, as a definition describes them. */
  custom?: Readonly<Record<string, unknown>> | undefined;
  /** The classes in the order in which the service lists probabilities, if it does not name them. */
  classes?: readonly string[] | undefined;
  /**
   * How the key is sent: `Authorization: ApiKey KEY`, `Authorization: Bearer KEY`, or not at all; `'google'`, `'azure'`
   * and `'sigv4'` need no key, but what the tools of that cloud find on this machine. By default, the protocol's.
   */
  auth?: Auth | undefined;
  /** Another host that may get what `auth: 'google'`, `'azure'` or `'sigv4'` sends; by default the cloud's own only. */
  authHost?: string | undefined;
  /** More headers of each request. Their values are never logged. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates, as PEM. By default the certificate of the service must be trusted by Node. */
  tls?: ClientTls | undefined;
  /**
   * The proxy between here and the service: `'none'`, as by default, its URL, or `'env'` for that of the variables
   * `HTTPS_PROXY` or `HTTP_PROXY`, except for the hosts in `NO_PROXY`.
   */
  proxy?: string | undefined;
  /** Whether the key may be sent over plain http to a host other than this one; by default not. */
  allowHttp?: boolean | undefined;
  /** Timeout of one request, in seconds or as `'90s'`; 60 s by default. */
  timeout?: number | string | undefined;
  /**
   * How long to keep retrying while the service is unavailable, in seconds or as `'10m'`. By default 5 s for a single
   * call, because somebody is waiting, and that of `score` for a run.
   */
  maxOutage?: number | string | undefined;
  /** Most requests in flight; 16 by default. Fewer are made where that is faster. */
  concurrency?: number | undefined;
  /** Most requests per second of all calls; no limit by default. */
  maxRequestsPerSecond?: number | undefined;
  /** Most personas per second of all calls; no limit by default. */
  maxRowsPerSecond?: number | undefined;
  /**
   * Called before each wait for a retry of a single call; `score` has a callback of its own. If it throws or rejects,
   * the calls that are waiting reject with `callback_failed`.
   */
  onRetry?: ((retry: Retry) => void) | undefined;
}

const { auth, 'auth-host': authHost, proxy, 'allow-http': allowHttp } = connectionOptions;
const { custom, 'max-outage': maxOutage } = outageOptions;
const clientOptions = {
  ...protocolOption,
  ...timeoutOption,
  ...rateOptions,
  classes: appendedOptions.classes,
  custom,
  auth,
  'auth-host': authHost,
  proxy,
  'allow-http': allowHttp,
  'max-outage': maxOutage,
};

/** What a client is made of, for the runs that use it. */
export let serviceOf: (client: Client) => { service: ServiceClient; maxOutage: number | undefined };

/** Options of a single call. */
export interface Call {
  /** Aborts the call and its retries; it then rejects with the code `interrupted`, and the signal's reason as cause. */
  signal?: AbortSignal | undefined;
}

/** What `batchPredict` sends. */
export interface UploadCall extends Call {
  /** The format of the file; by default `csv`. */
  inputFormat?: UploadFormat;
}

export interface PersonaCall extends Call {
  /** Called if values are not of the type of their column, or are categories that the model does not know. */
  onWarnings?: ((warnings: readonly ValueWarning[]) => void) | undefined;
}

/**
 * Client of a prediction service, for callers that have objects, and for `score`. Requests that may succeed later are
 * retried; redirects are not followed. All calls of a client share its pace and what it knows of the service. Close it
 * after use.
 */
export class Client implements ProgramScorer {
  /** The service's URL. */
  readonly name: string;
  readonly #client: ServiceClient;
  /** The requests that only the protocol `report` has. */
  readonly #reports: ReportClient | undefined;
  readonly #objects: FeaturesClient;
  readonly #protocol: ProtocolName;
  /** The outage that the caller wants to wait for, if it says so. */
  readonly #maxOutage: number | undefined;
  /** The single calls in progress. */
  readonly #calls = new Set<RunControl>();
  readonly #guard = new CallbackGuard(error => {
    for (const call of this.#calls) call.fail(error);
  });

  /** @throws RowcastError `bad_url`, `insecure_url`, `no_key`, `bad_option`, `bad_certificate` */
  constructor(options: ClientOptions) {
    checkObject('Client', options, 'url and key');
    const { url, key, headers = {}, tls, onRetry, ...given } = options;
    const values = readGiven(clientOptions, given);
    const { proxy, allowHttp, authHost, classes } = values;
    const base = readBaseUrl(String(url), allowHttp);
    const protocol = chooseProtocol(values);
    const auth = values.auth ?? protocol.auth;
    this.#protocol = values.protocol;
    checkKey(key, auth);
    if (tls !== undefined) checkClientTls(tls, base);
    checkProxy(proxy, 'proxy');
    const { timeout, concurrency, maxRequestsPerSecond, maxRowsPerSecond } = values;
    this.#maxOutage = given.maxOutage === undefined ? undefined : values.maxOutage;
    this.name = redacted(base.href);
    const retry = retryOf({ onRetry }, this.#guard);
    const connecting = {
      url: base,
      key: isOfCloud(auth)
        ? cloudKey(
            cloudService(auth, base, { allowed: authHost, protocol: this.#protocol }),
            base,
            process.env,
          )
        : key,
      auth,
      headers: checkedHeaders(headers, auth),
      tls,
      proxy: proxyOf(proxy, base, { env: process.env, allowHttp }),
      name: this.name,
      timeout,
      concurrency,
      maxRequestsPerSecond,
      maxRowsPerSecond,
      ...(this.#maxOutage !== undefined && { maxOutage: this.#maxOutage }),
      onRetry: retry,
    };
    if (this.#protocol === defaultProtocol) {
      const service = connectReports(connecting);
      this.#client = service;
      this.#reports = new ReportClient(service);
    } else this.#client = new ServiceClient({ ...connecting, protocol });
    this.#objects = new FeaturesClient(this.#client, { classes });
  }

  /**
   * What a report says: tech specs and drivers, and its classes and columns if the service includes them.
   *
   * @throws RowcastError `usage` with another protocol than `report`; a `CallError` if the request has failed for good
   */
  report(id: string, { signal }: Call = {}): Promise<LooseReport> {
    return this.#call(signal, async stop => this.#reportsFor('report()').report(id, stop));
  }

  /**
   * What is predicted for one persona: probabilities from 0 to 1 by class, a label, a number or several.
   *
   * @param report report id
   * @param features values by column: text, numbers, booleans, or null if missing
   * @throws RowcastError; a `CallError` if the request has failed for good
   */
  async persona(
    report: string,
    features: Features,
    { signal, onWarnings }: PersonaCall = {},
  ): Promise<Predicted> {
    const reports = this.#reports;
    if (reports === undefined)
      return this.#call(signal, stop => this.#objects.predictOne(report, features, stop));
    const { warnings, ...predicted } = await this.#call(signal, stop =>
      reports.persona(report, features, stop),
    );
    if (warnings.length > 0) onWarnings?.(warnings);
    return predicted;
  }

  /**
   * What is predicted for personas, in their order: as many as you like; they are sent in batches, several at a time.
   *
   * @param report report id
   * @returns for each persona, what `persona` would return, or why the service has none
   * @throws RowcastError; a `CallError` if a request has failed for good
   */
  batchPersona(report: string, personas: readonly Features[], { signal }: Call = {}): Promise<Prediction[]> {
    const { concurrency } = this.#client;
    const reports = this.#reports;
    return this.#call(signal, stop =>
      reports === undefined
        ? this.#objects.predict(report, personas, stop)
        : predictBatches(reports, { report, personas, concurrency }, stop),
    );
  }

  /**
   * Has the service score a whole file in one request. It is not retried, because the input cannot be read twice;
   * `score` also checks, retries and resumes.
   *
   * @param file is read as fast as the service accepts it
   * @param call `inputFormat` is that of the file and of the result, by default CSV
   * @returns the scored file; it fails if the response is incomplete
   * @throws RowcastError `usage` with another protocol than `report`; a `CallError` if the request has failed for good
   */
  batchPredict(
    report: string,
    file: Readable,
    { signal, inputFormat: format = 'csv' }: UploadCall = {},
  ): Promise<Readable> {
    return called(signal, async () => {
      const closed = new AbortController();
      const { chunks, rowCounts } = await this.#reportsFor('batchPredict()').batchPredict(
        report,
        { bytes: file, format },
        AbortSignal.any([closed.signal, ...(signal ? [signal] : [])]),
      );
      const scored = Readable.from(completed(chunks, rowCounts, signal), { objectMode: false });
      return scored.once('close', () => closed.abort());
    });
  }

  /**
   * The rows that a report was tested on, as CSV.
   *
   * @throws RowcastError `usage` with another protocol than `report`; others on the stream; a `CallError` if the
   *   request has failed for good
   */
  async testingResults(id: string): Promise<Readable> {
    return Readable.from(this.#reportsFor('testingResults()').testingResults(id), { objectMode: false });
  }

  /** `batchPersona` for a batch; `score` does not use it, because it writes requests without making objects of rows. */
  score({ report, personas }: PersonaBatch, signal?: AbortSignal): Promise<BatchOutcome> {
    return this.batchPersona(report, personas, { signal });
  }

  /** Aborts all requests in flight and closes the connections. */
  close(): Promise<void> {
    return this.#client.close();
  }

  /** @throws RowcastError `usage` */
  #reportsFor(what: string): ReportClient {
    onlyReports(this.#protocol, what);
    if (this.#reports === undefined) throw new TypeError('Client: it has no reports');
    return this.#reports;
  }

  #call<T>(signal: AbortSignal | undefined, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    return called(signal, async stop => {
      this.#calls.add(stop);
      try {
        const result = await work(stop.signal);
        await this.#guard.settled(stop.signal);
        return result;
      } finally {
        this.#calls.delete(stop);
      }
    });
  }

  static {
    serviceOf = client => ({ service: client.#client, maxOutage: client.#maxOutage });
  }
}

/** The rest of an upload's answer, which says at its end whether it is complete. */
async function* completed(
  chunks: AsyncIterable<Buffer>,
  check: () => unknown,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    throw signal?.aborted ? asRowcastError(new Interrupted(signal)) : error;
  }
  check();
}
