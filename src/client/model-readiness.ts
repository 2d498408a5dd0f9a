import { CallError } from '../scoring/failures/call-error.ts';
import type { Protocol } from './protocols/protocol.ts';
import type { Requests } from './requests.ts';

/** The status of a service that does not know a path. */
const NO_SUCH_PATH = 404;

/** Statuses of requests for a model that is not loaded: Triton and MLServer have 400, KServe and TensorFlow Serving 404. */
const NOT_YET: readonly (number | undefined)[] = [400, NO_SUCH_PATH];

/** Asks a service whether its models are ready. */
export class ModelReadiness {
  readonly #protocol: Pick<Protocol, 'ready'>;
  readonly #requests: Pick<Requests, 'send'>;

  constructor(protocol: Pick<Protocol, 'ready'>, requests: Pick<Requests, 'send'>) {
    this.#protocol = protocol;
    this.#requests = requests;
  }

  /** Asks once, without a retry. True if the protocol has no such question, or the service does not answer it. */
  async isReady(model: string, signal?: AbortSignal): Promise<boolean> {
    const question = this.#protocol.ready?.(model);
    if (question === undefined) return true;
    return this.#requests
      .send({ ...question.request, signal }, saysReady)
      .catch(error => (isNoAnswer(error) ? !question.namesModel : isRefusal(error)));
  }

  /**
   * Sends a request for a model. While the model is not loaded, services respond with 400 or 404, as they do to what they will
   * never accept, so they are then asked whether it is ready. If not, the failure is temporary.
   *
   * @param model undefined if the request is not about one
   * @throws CallError
   */
  async whenReady<T>(send: () => Promise<T>, model: string | undefined, signal?: AbortSignal): Promise<T> {
    try {
      return await send();
    } catch (error) {
      const mayBeEarly = error instanceof CallError && NOT_YET.includes(error.status);
      if (!mayBeEarly || model === undefined || this.#protocol.ready?.(model) === undefined) throw error;
      if (await this.isReady(model, signal)) {
        // It may have been loaded between the two requests. Rows that were refused are sent again anyway.
        if (error.status === NO_SUCH_PATH) return send();
        throw error;
      }
      throw new CallError('unavailable', 'model_not_ready', `${error.message}; the model is not ready`, {
        location: error.location,
        hint: 'Check the name of the report, and whether the model is loaded.',
      });
    }
  }
}

/** Whether a service does not know the path at which it was asked whether it is ready: it may be ready all the same. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof CallError && error.status === NO_SUCH_PATH;

/** A proxy may allow requests for predictions only, with 403 or 405 for others. */
const isRefusal = (error: unknown): boolean => error instanceof CallError && error.kind === 'fatal';

/** KServe responds with 200 and `{"name":"churn","ready":false}` while a model is loading. */
const saysReady = (body: Buffer): boolean => !/"ready"\s*:\s*(?:false|"False")/.test(body.toString());
